import { describe, expect, test } from "vitest";
import type { DecisionOut, SeatSummary, ViewOut } from "../../src/api/messages";
import { refusalWords } from "../../src/announce/refusals";
import { chances, change, isMistake, lineMoves, places, points, worst } from "../../src/review/review";

const decision = (number: number, seat: number, lost: number, grade: string): DecisionOut => ({
  number,
  round: 1,
  seat,
  stage: "main",
  played: { move: "take wug", values: [0.5 - lost, 0.5 + lost] },
  best: { move: "buy 1a", values: [0.5, 0.5] },
  alternatives: [],
  line: ["buy 1a"],
  is_forced: false,
  lost,
  grade,
});
const GAME = [decision(0, 0, 0.03, "inaccuracy"), decision(1, 1, 0.2, "blunder"), decision(2, 0, 0.07, "error"), decision(3, 1, 0.01, "good")];
const VIEW = { turn: 1, seat: 1 } as ViewOut;

describe("mistakes", () => {
  test("good and best moves are none", () => expect(GAME.map(isMistake)).toEqual([true, true, true, false]));
  test("the worst of all", () => expect(worst(GAME, null)?.number).toBe(1));
  test("the worst of a seat", () => expect(worst(GAME, 0)?.number).toBe(2));
  test("there may be none", () => expect(worst([GAME[3]], null)).toBeNull());
});

describe("chances", () => {
  test("while it is computed there is no end", () => expect(chances(GAME, null)).toHaveLength(4));
  test("the last is the result", () => {
    const seats = [{ result: 0 }, { result: 1 }] as SeatSummary[];
    expect(chances(GAME, seats).at(-1)).toEqual([0, 1]);
  });
});

test.each([
  ["take wug", ["bank-w", "bank-u", "bank-g"]],
  ["return *", ["bank-*"]],
  ["buy 1a", ["slot-1a"]],
  ["reserve 2?", ["deck-2"]],
  ["buy @3", ["reserve-3", "seat-1"]],
  ["claim 2", ["tile-2"]],
  ["pass", []],
])("%s is drawn on the board", (move, drawn) => expect([...places(move, VIEW)]).toEqual(drawn));

test("points and changes", () => {
  expect(points(0.0712)).toBe("7.1");
  expect(change(-0.05)).toBe("-5.0");
  expect(change(0.05)).toBe("+5.0");
});

test("the page brings the words of its refusals", () =>
  expect(refusalWords({ code: "bad_record", facts: { line: 3, problem: "" } })).toContain("line 3"));

test("a line names cards as long as they are the ones that lie there now", () => {
  const view = {
    turn: 1,
    market: [[11, 12, 13, 14], [41, 42, 43, 44], [71, 72, 73, 74]],
    areas: [{ reserve: [{ card: null, tier: 2, blind: true }] }, { reserve: [] }],
  } as unknown as ViewOut;
  const line = ["reserve 1b", "return w", "buy @1", "buy @1", "take wug", "buy 1b", "reserve 3?"];
  expect(lineMoves(line, view).map(({ seat, card, tier }) => [seat, card, tier])).toEqual([
    [1, 12, 1],
    [1, null, null],
    [0, null, 2],
    [1, 12, 1],
    [0, null, null],
    [1, null, 1],
    [0, null, 3],
  ]);
});
