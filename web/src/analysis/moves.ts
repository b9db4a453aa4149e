// Moves that the engine tells of, in pieces to be drawn.
import { advised, type Piece, type Speaker } from "../announce/words";
import type { LineMoveOut, ViewOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { compactFormat, numberFormat } from "../ui/intl";

/** A move of a line. Its card is the one it is about; later in a line it may be one that nobody knows yet. */
export function movePieces({ text, card, tier }: LineMoveOut, view: ViewOut, speaker: Speaker): Piece[] {
  const [verb] = text.split(" ");
  if (verb !== "buy" && verb !== "reserve") return advised(text, view, speaker);
  const { data } = speaker;
  const word = verb === "buy" ? m.turn_buy({ theme: data.theme }) : m.turn_reserve();
  return [{ text: `${word} ` }, { card: card ? data.cards[card - 1] : null, tier: tier ?? 1 }];
}

/** A chance with one decimal: moves are often close. */
export const fine = (chance: number) => numberFormat({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(chance);

export const count = (n: number) => compactFormat().format(n);

/** Where a move begins on the board and where it leads, as the places are named there. */
export function places(text: string, seat: number): { from: string[]; to: string } {
  const [verb, what = ""] = text.split(" ");
  const own = `seat-${seat}-name`;
  if (verb === "take") return { from: [...new Set(what)].map((letter) => `bank-${letter}`), to: own };
  if (verb === "return") return { from: [own], to: `bank-${what}` };
  if (verb === "claim") return { from: [`tile ${what}`], to: own };
  if (verb !== "buy" && verb !== "reserve") return { from: [], to: own };
  const from = what[0] === "@" ? `seat-${seat}-reserve-${what[1]}` : what[1] === "?" ? `deck-${what[0]}` : `slot-${what}`;
  return { from: [from], to: verb === "reserve" ? `seat-${seat}-reserve` : own };
}
