import { expect, test } from "vitest";
import type { EntryOut, ViewOut } from "../../src/api/messages";
import { touched } from "../../src/session/touched";

const view = { tiles: [{ number: 4, owner: null }, { number: 7, owner: 1 }] } as unknown as ViewOut;
const entry = (text: string, more: Partial<EntryOut> = {}) =>
  ({ kind: "move", seat: 1, turns: 5, tile: null, avengers: false, text, ...more }) as EntryOut;

test.each<[EntryOut[], string[]]>([
  [[], []],
  [[entry("take wug")], ["seat-1", "bank-w", "bank-u", "bank-g"]],
  [[entry("take wug", { seat: 0 })], ["bank-w", "bank-u", "bank-g"]],
  [[entry("take rr", { turns: 4, seat: 0 }), entry("reserve 2?")], ["seat-1", "deck-2"]],
  [[entry("buy 1a", { tile: 7, avengers: true })], ["seat-1", "slot-1a", "tile-2", "avengers"]],
  [[entry("buy @1")], ["seat-1"]],
  [[entry("take rr"), entry("return k")], ["seat-1", "bank-r", "bank-k"]],
  [[entry("take rr"), entry("take rr", { kind: "undo" })], []],
])("what the last turn touched: %#", (entries, places) => {
  expect([...touched(entries, view, 0)]).toEqual(places);
});
