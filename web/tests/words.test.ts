import { describe, expect, test } from "vitest";
import { percents } from "../src/lib/words";

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
