import { describe, expect, it } from "vitest";
import type { MyGameOut } from "../../src/api/messages";
import { choices, EVERYTHING, filtered, grouped, opponents, PEOPLE, rates } from "../../src/daily/stats";

let number = 0;
const game = (said: Partial<MyGameOut> & { bots?: (string | null)[] }): MyGameOut => {
  const { bots = ["cutter"], ...rest } = said;
  return {
    id: String(number++),
    source: "table",
    variant: "classic",
    players: [{ name: "Anna", bot: null }, ...bots.map((bot) => ({ name: bot ?? "Ben", bot }))],
    seat: 0,
    result: "won",
    points: [15, 10],
    winners: [0],
    rounds: 30,
    ended: number,
    shared: null,
    error_rate: null,
    ...rest,
  };
};

describe("my games", () => {
  it("names bots, and everybody else as people; without an own seat nobody", () => {
    expect(opponents(game({ bots: ["cutter", null, "cutter"] }))).toEqual(["cutter", PEOPLE]);
    expect(opponents(game({ seat: 1 }))).toEqual([PEOPLE]);
    expect(opponents(game({ seat: null }))).toEqual([]);
  });

  const some = [
    game({}),
    game({ result: "lost", bots: ["merchant"] }),
    game({ result: "shared", variant: "marvel", bots: ["cutter", "merchant"], source: "import" }),
    game({ result: null, seat: null }),
  ];

  it("counts wins in groups; a game without a result does not count", () => {
    expect(grouped(some, "variant")).toEqual([
      { key: "classic", games: 2, won: 1 },
      { key: "marvel", games: 1, won: 1 },
    ]);
    expect(grouped(some, "opponent")).toEqual([
      { key: "cutter", games: 2, won: 2 },
      { key: "merchant", games: 2, won: 1 },
    ]);
    expect(grouped(some, "players").map(({ key, games }) => [key, games])).toEqual([["2", 2], ["3", 1]]);
  });

  it("filters by every property", () => {
    const count = (filter: Partial<typeof EVERYTHING>) => filtered(some, { ...EVERYTHING, ...filter }).length;
    expect([count({}), count({ variant: "marvel" }), count({ opponent: "merchant" }), count({ players: 3 }), count({ source: "table" })]).toEqual([4, 1, 2, 1, 3]);
    expect(choices(some, "opponent")).toEqual(["cutter", "merchant"]);
  });

  it("plots what was reviewed, the oldest first", () => {
    expect(rates([game({ ended: 9, error_rate: 2 }), game({}), game({ ended: 3, error_rate: 4 })])).toEqual([
      { ended: 3, rate: 4 },
      { ended: 9, rate: 2 },
    ]);
  });
});
