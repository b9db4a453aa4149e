// What the server says about puzzles.
import { ask } from "../api/http";
import type { PuzzleAnswerOut, PuzzleListOut, PuzzleOut, PuzzleRuleOut } from "../api/messages";
import { addRefusals } from "../announce/refusals";
import { m } from "../paraglide/messages";

addRefusals({ no_puzzle: m.refused_no_puzzle });

let listed: Promise<PuzzleListOut> | null = null;

/** Every puzzle with its themes and difficulty, in the order in which they are offered; asked for once. */
export function puzzleList(): Promise<PuzzleListOut> {
  listed ??= ask<PuzzleListOut>("GET", "/api/puzzles").catch((wrong: unknown) => {
    listed = null;
    throw wrong;
  });
  return listed;
}

const at = (id: string) => `/api/puzzles/${encodeURIComponent(id)}`;

export const puzzle = (id: string) => ask<PuzzleOut>("GET", at(id));
export const answer = (id: string, text: string) => ask<PuzzleAnswerOut>("POST", `${at(id)}/answer`, { text });
/** The rule that forbids a move in a puzzle. */
export const whyNot = (id: string, text: string) => ask<PuzzleRuleOut>("GET", `${at(id)}/why-not?text=${encodeURIComponent(text)}`);
