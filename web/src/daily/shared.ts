// What the pages say about a deal that several tables share.
import type { ScoreOut, SharedOut, TableOut } from "../api/messages";
import { variantOf } from "../api/http";
import { addRefusals } from "../announce/refusals";
import { gameName } from "../announce/words";
import { m } from "../paraglide/messages";
import { dayFormat, timeFormat } from "../ui/intl";

addRefusals({ counts: m.refused_counts });

/** The page where everybody's results stand. */
export const sharedAddress = (table: TableOut) =>
  table.shared?.kind === "duel" ? `/duel/${table.shared.name}` : `/daily/${variantOf(table)}?date=${table.shared?.name}`;

/** A date in the reader's language. It is a day of UTC, wherever the reader is. */
export const dayWords = (date: string) =>
  dayFormat("long", "UTC").format(new Date(`${date}T00:00:00Z`));

/** What is said at a table about its deal. */
export function sharedNote({ kind, name, counts }: SharedOut): string {
  const deal = kind === "day" ? m.daily_note({ day: dayWords(name) }) : m.daily_duel_note();
  return `${deal} ${counts ? m.daily_counts() : m.daily_is_practice()}`;
}

const RESULT = { won: m.daily_won, shared: m.daily_shared, lost: m.daily_lost, resigned: m.daily_resigned };

export const resultWords = (result: ScoreOut["result"]) => RESULT[result]();

/** How a game against bots went, in a line: the result, own points and those of the best bot, rounds. */
export const scoreWords = (score: ScoreOut) =>
  [resultWords(score.result), `${score.points}:${score.best}`, ...(score.rounds === null ? [] : [m.daily_rounds({ n: score.rounds })])].join(" · ");

/** What is sent to friends: nothing in it tells how the deal goes. */
export const resultLine = (variant: string, date: string, score: ScoreOut, link: string) =>
  `${m.daily_line({ game: gameName(variant), day: dayWords(date) })}\n${scoreWords(score)}\n${link}`;

/** Hours and minutes, in the reader's language. */
export function timeWords(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return [...(minutes >= 60 ? [timeFormat(Math.floor(minutes / 60), "hour")] : []), timeFormat(minutes % 60, "minute")].join(" ");
}
