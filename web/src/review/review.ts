// What a review page asks the server for, and the words and marks of its verdicts.
import "../announce/table_refusals";
import type { DecisionOut, LineMoveOut, ReviewedGameOut, ReviewIdOut, ReviewOut, SeatSummary, TriedOut, ViewOut } from "../api/messages";
import { addRefusals } from "../announce/refusals";
import { ask } from "../api/http";
import { m } from "../paraglide/messages";
import { numberFormat } from "../ui/intl";

addRefusals({
  no_review: m.refused_no_review,
  bad_record: m.refused_bad_record,
  record_not_over: m.refused_record_not_over,
  record_too_long: m.refused_record_too_long,
  not_asked_here: m.refused_not_asked_here,
  too_many_studies: m.refused_too_many_studies,
  too_many_own_studies: m.refused_too_many_own_studies,
});

export const askTable = (table: string) => ask<ReviewIdOut>("POST", "/api/reviews", { table });
export const askRecord = (record: string) => ask<ReviewIdOut>("POST", "/api/reviews", { record });
export const look = (id: string, since: number) => ask<ReviewOut>("GET", `/api/reviews/${encodeURIComponent(id)}?since=${since}`);
export const reviewedGame = (id: string) => ask<ReviewedGameOut>("GET", `/api/reviews/${encodeURIComponent(id)}/game`);
export const tryMove = (id: string, number: number, move: string) =>
  ask<TriedOut>("POST", `/api/reviews/${encodeURIComponent(id)}/try`, { number, move });

/** From light to heavy; the others are no mistakes. */
export const MISTAKES = ["inaccuracy", "error", "blunder"] as const;
export const isMistake = (decision: Pick<DecisionOut, "grade">) => (MISTAKES as readonly string[]).includes(decision.grade);
/** To resign is a decision, but not a move. */
export const isResignation = (decision: Pick<DecisionOut, "stage">) => decision.stage === "resign";

const GRADE: Record<string, () => string> = {
  best: m.review_grade_best,
  good: m.review_grade_good,
  inaccuracy: m.review_grade_inaccuracy,
  error: m.review_grade_error,
  blunder: m.review_grade_blunder,
};
export const gradeName = (grade: string) => (GRADE[grade] ?? (() => grade))();

/** Told apart without colour: the marks that chess players use. */
export const MARK: Record<string, string> = { inaccuracy: "?!", error: "?", blunder: "??" };

const number = (n: number, digits: number, sign: boolean) =>
  numberFormat({
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: sign ? "exceptZero" : "negative",
  }).format(n);

/** A chance, or a change of one, in points. */
export const points = (chance: number, digits = 1) => number(100 * chance, digits, false);
export const change = (chance: number) => number(100 * chance, 1, true);

/** Each seat's chance at every moment: before each decision, and at the end the result. */
export function chances(decisions: readonly DecisionOut[], seats: readonly SeatSummary[] | null): number[][] {
  const before = decisions.map((decision) => decision.best.values);
  return seats ? [...before, seats.map((seat) => seat.result)] : before;
}

/** The decision that lost most, of a seat or of all. */
export function worst(decisions: readonly DecisionOut[], seat: number | null): DecisionOut | null {
  const found = decisions.filter((one) => isMistake(one) && (seat === null || one.seat === seat));
  return found.reduce<DecisionOut | null>((most, one) => (most === null || one.lost > most.lost ? one : most), null);
}

/** A line of moves with who plays each, and its card as long as that is the one that lies there now: later ones nobody knows. */
export function lineMoves(line: readonly string[], view: ViewOut): LineMoveOut[] {
  const gone = new Set<string>();
  const reserves = view.areas.map((area) => area.reserve.map(({ card, tier }) => ({ card, tier })));
  let seat = view.turn;
  return line.map((text, i) => {
    const [verb, what = ""] = text.split(" ");
    if (i && verb !== "return" && verb !== "claim") seat = (seat + 1) % view.areas.length;
    if (verb !== "buy" && verb !== "reserve") return { seat, text, card: null, tier: null };
    const [row, column] = [Number(what[0]) - 1, "abcd".indexOf(what[1])];
    const lying = what[0] === "@" ? null : { card: what[1] === "?" || gone.has(what) ? null : view.market[row][column], tier: row + 1 };
    gone.add(what);
    const about = lying ?? reserves[seat].splice(Number(what[1]) - 1, 1)[0] ?? { card: null, tier: 1 };
    if (verb === "reserve") reserves[seat].push(about);
    return { seat, text, card: about.card, tier: about.tier };
  });
}

/** The places on the board that a move touches, as the board names them. */
export function places(move: string, view: ViewOut): Set<string> {
  const [verb, what = ""] = move.split(" ");
  if (verb === "take") return new Set([...what].map((letter) => `bank-${letter}`));
  if (verb === "return") return new Set([...what].map((letter) => `bank-${letter}`));
  if (verb === "claim") return new Set([`tile-${what}`]);
  if ((verb === "buy" || verb === "reserve") && what[0] === "@") return new Set([`reserve-${what[1]}`, `seat-${view.turn}`]);
  if (verb === "buy" || verb === "reserve") return new Set([what[1] === "?" ? `deck-${what[0]}` : `slot-${what}`]);
  return new Set();
}
