// The log as it is read: what was taken back is not told again.
import type { EntryOut } from "../api/messages";

/** A line of the log: an entry, and the numbers of the entries that are told with it or not at all. */
export interface Line {
  entry: EntryOut;
  /** how many moves were taken back, in a line about that */
  undone: number;
  covers: number[];
}

/** Moves that were taken back disappear, and takebacks that follow each other become one line. */
export function folded(entries: readonly EntryOut[]): Line[] {
  const gone = new Set(entries.flatMap((entry) => (entry.kind === "undo" && entry.undoes ? [entry.undoes] : [])));
  const lines: Line[] = [];
  let covers: number[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (gone.has(entry.number)) covers.push(entry.number);
    else if (entry.kind === "undo" && last?.entry.kind === "undo" && last.entry.seat === entry.seat) {
      last.undone += 1;
      last.covers.push(...covers, entry.number);
      covers = [];
    } else {
      lines.push({ entry, undone: entry.kind === "undo" ? 1 : 0, covers: [...covers, entry.number] });
      covers = [];
    }
  }
  return lines;
}
