// What the last turn touched, so that it stays outlined until the next.
import type { EntryOut, ViewOut } from "../api/messages";

/** The places that the moves of the newest turn touched: `bank-w`, `slot-1a`, `deck-2`, `tile-3`, `seat-1`, `avengers`. */
export function touched(entries: readonly EntryOut[], view: ViewOut, me: number | null): Set<string> {
  const places = new Set<string>();
  const newest = entries.findLast((entry) => entry.kind === "move" || entry.kind === "undo");
  if (!newest || newest.kind === "undo") return places;
  for (const entry of entries.filter((one) => one.kind === "move" && one.turns === newest.turns && one.seat === newest.seat)) {
    const [verb, what = ""] = entry.text.split(" ");
    if (entry.seat !== me) places.add(`seat-${entry.seat}`);
    if (verb === "take" || verb === "return") [...what].forEach((letter) => places.add(`bank-${letter}`));
    if ((verb === "buy" || verb === "reserve") && what[0] !== "@") places.add(what[1] === "?" ? `deck-${what[0]}` : `slot-${what}`);
    const place = view.tiles.findIndex((tile) => tile.number === entry.tile);
    if (entry.tile && place >= 0) places.add(`tile-${place + 1}`);
    if (entry.avengers) places.add("avengers");
  }
  return places;
}
