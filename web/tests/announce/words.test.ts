import { describe, expect, test } from "vitest";
import type { EntryOut, ThoughtOut } from "../../src/api/messages";
import { percents, thoughtOf, weakened } from "../../src/announce/words";

describe("chances as whole percents", () => {
  test.each([
    [[0.525, 0.475], 0, [53, 47]],
    [[0.475, 0.525], 1, [47, 53]],
    [[0.996, 0.004], 0, [100, 0]],
    [[0.334, 0.333, 0.333], 0, [33, 34, 33]],
    [[0.2549999, 0.2549999, 0.2449999, 0.245], 3, [26, 25, 24, 25]],
    [[0.5999999, 0.3999999], 0, [60, 40]],
  ])("%j for seat %i", (chances, own, expected) => {
    expect(percents(chances, own)).toEqual(expected);
  });
});

describe("what a bot thought", () => {
  const entry = (thought: Partial<ThoughtOut> | null): EntryOut => ({
    number: 1,
    kind: "move",
    seat: 1,
    text: "pass",
    card: null,
    turned_up: null,
    tile: null,
    avengers: false,
    gems: [],
    undoes: null,
    turns: 0,
    at: 0,
    thought: thought && { bot: "legend", nodes: 12000, seconds: 0.5, instead_of: null, why: null, ...thought },
  });

  test.each([
    [null, null],
    [{}, null],
    [{ why: "short" as const }, "had little time to think"],
    [{ bot: "greedy", instead_of: "legend", why: "late" as const }, "moved by Greedy: Legend had no time"],
    [{ bot: "greedy", instead_of: "magpie", why: "failed" as const }, "moved by Greedy: Magpie gave no move"],
    [{ bot: "greedy", instead_of: "legend", why: "starting" as const }, "moved by Greedy: Legend was not ready yet"],
  ])("%j", (thought, expected) => {
    expect(weakened(entry(thought))).toBe(expected);
  });

  test("positions and time are told where they are known", () => {
    expect(thoughtOf(entry({}))).toBe("Positions considered: 12,000, time: 0.5 s");
    expect(thoughtOf(entry({ nodes: null }))).toBeNull();
    expect(thoughtOf(entry(null))).toBeNull();
  });
});
