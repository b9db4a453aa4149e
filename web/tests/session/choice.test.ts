import { describe, expect, test } from "vitest";
import { Choice } from "../../src/session/choice.svelte";

const LEGAL = ["take wug", "take wur", "take ugr", "take ww", "reserve 1a", "reserve 2?", "buy 1a", "buy @1"];

function choice(legal = LEGAL, payments: Record<string, string[]> = {}) {
  const made = new Choice();
  made.update(legal, payments, "wugrk*", true);
  return made;
}

describe("picking tokens", () => {
  test.each([
    ["w", true],
    ["wu", true],
    ["ww", true],
    ["www", false],
    ["wwu", false],
    ["gw", true],
    ["k", false],
  ])("%s can be picked: %s", (letters, expected) => {
    const made = choice();
    expect([...letters].map((letter) => made.pick(letter)).every(Boolean)).toBe(expected);
  });

  test("what is picked is a move when it is in the list, in any order", () => {
    const made = choice();
    [..."gu"].forEach((letter) => made.pick(letter));
    expect(made.take).toBe(null);
    made.pick("w");
    expect(made.take).toBe("take wug");
    made.putBack(0);
    expect(made.take).toBe(null);
  });

  test("a choice survives a reconnection if it is still legal", () => {
    const made = choice();
    made.pick("w");
    made.update(LEGAL, {}, "wugrk*", true);
    expect(made.picked).toEqual(["w"]);
    made.update(["take ugr"], {}, "wugrk*", true);
    expect(made.picked).toEqual([]);
  });
});

describe("cards", () => {
  test("a selected card offers what the list has", () => {
    const made = choice();
    made.select({ kind: "card", slot: "1a" });
    expect([made.buy, made.reserve]).toEqual(["buy 1a", "reserve 1a"]);
    made.select({ kind: "deck", tier: 2 });
    expect([made.buy, made.reserve]).toEqual([null, "reserve 2?"]);
    made.select({ kind: "reserve", place: 1 });
    expect([made.buy, made.reserve]).toEqual(["buy @1", null]);
  });

  test("ways to pay that keep the wild tokens come first", () => {
    const made = choice(LEGAL, { "buy 1a": ["buy 1a with **", "buy 1a with u*", "buy 1a with uu"] });
    made.select({ kind: "card", slot: "1a" });
    expect(made.ways).toEqual(["buy 1a with uu", "buy 1a with u*", "buy 1a with **"]);
  });
});

describe("advice", () => {
  test.each([
    ["take wug", "take wug", null, null],
    ["buy 1a", null, "buy 1a", "reserve 1a"],
    ["reserve 2?", null, null, "reserve 2?"],
    ["buy @1", null, "buy @1", null],
  ])("%s is chosen as clicks would", (move, take, buy, reserve) => {
    const made = choice();
    made.pick("r");
    expect(made.choose(move)).toBe(true);
    expect([made.take, made.buy, made.reserve]).toEqual([take, buy, reserve]);
  });

  test.each(["return w", "claim 2", "pass"])("%s needs no choice", (move) => {
    const made = choice();
    expect([made.choose(move), made.empty]).toEqual([false, true]);
  });
});
