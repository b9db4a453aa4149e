import { expect, test } from "vitest";
import { folded } from "../../src/announce/folded";
import type { EntryOut } from "../../src/api/messages";

const entry = (number: number, kind: EntryOut["kind"], seat: number, undoes: number | null = null) =>
  ({ number, kind, seat, text: "take wug", undoes }) as EntryOut;
const move = (number: number, seat: number) => entry(number, "move", seat);
const undo = (number: number, seat: number, undoes: number) => entry(number, "undo", seat, undoes);

/** The numbers of the lines, with how many moves a line takes back and what else it stands for. */
const read = (entries: EntryOut[]) => folded(entries).map(({ entry: { number }, undone, covers }) => [number, undone, covers]);

test.each([
  ["nothing is taken back", [move(1, 0), move(2, 1)], [[1, 0, [1]], [2, 0, [2]]]],
  ["one move", [move(1, 0), undo(2, 0, 1), move(3, 0)], [[2, 1, [1, 2]], [3, 0, [3]]]],
  [
    "again and again",
    [move(1, 0), undo(2, 0, 1), move(3, 0), undo(4, 0, 3), move(5, 0), undo(6, 0, 5), move(7, 0)],
    [[2, 3, [1, 2, 3, 4, 5, 6]], [7, 0, [7]]],
  ],
  ["with the answer of a bot", [move(1, 0), move(2, 1), undo(3, 0, 2), undo(4, 0, 1)], [[3, 2, [1, 2, 3, 4]]]],
  ["by two players", [move(1, 0), undo(2, 0, 1), move(3, 0), move(4, 1), undo(5, 1, 4)], [[2, 1, [1, 2]], [3, 0, [3]], [5, 1, [4, 5]]]],
])("the log when %s", (_, entries, expected) => {
  expect(read(entries)).toEqual(expected);
});
