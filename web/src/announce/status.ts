// What is read out on request: how things stand, and a hint.
import type { HintOut, SeatOut, ViewOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { advantage, advised, gemList, percent, plain, seatName, type Speaker } from "./words";

/** Whose turn it is, what everybody has, and what is in the bank. */
export function status(view: ViewOut, seats: readonly SeatOut[], { data }: Speaker, turnLine: string): string {
  const list = (counts: number[]) => gemList(data.theme, counts, data.letters) || m.tell_none();
  const areas = view.areas.map((area, seat) => {
    const parts = { points: m.table_points_n({ n: area.points }), tokens: list(area.tokens), bonuses: list(area.bonuses) };
    return seat === view.seat ? m.tell_you(parts) : m.tell_other({ ...parts, name: seatName(seats[seat]) });
  });
  return [turnLine, ...areas, m.tell_bank({ bank: gemList(data.theme, view.bank, data.letters) })].join(" ");
}

/** The moves of a hint, with their chances. */
export function adviceWords(advice: HintOut, view: ViewOut, speaker: Speaker): string {
  const moves = advice.moves.map(({ text, chance, why }) => {
    const said = [`${plain(advised(text, view, speaker), speaker)}: ${percent(100 * chance)}`, ...why.map((one) => plain(advantage(one, speaker), speaker))];
    return said.map((sentence) => `${sentence}.`).join(" ");
  });
  return `${m.hint_title()}. ${moves.join(" ")}`;
}
