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

  test("all tokens of a colour go back to their pile", () => {
    const made = choice();
    [..."ww"].forEach((letter) => made.pick(letter));
    made.putBackAll("w");
    expect(made.picked).toEqual([]);
    [..."wu"].forEach((letter) => made.pick(letter));
    made.putBackAll("w");
    expect(made.picked).toEqual(["u"]);
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

  test("what will be paid is what the server says, gold and all", () => {
    const made = choice(LEGAL, { "buy 1a": ["buy 1a with kk*"], "buy @1": ["buy @1"] });
    made.select({ kind: "card", slot: "1a" });
    expect(made.paid).toEqual([0, 0, 0, 0, 2, 1]);
    made.select({ kind: "reserve", place: 1 });
    expect(made.paid).toEqual([0, 0, 0, 0, 0, 0]);
    made.select({ kind: "card", slot: "2b" });
    expect(made.paid).toBe(null);
  });

  test("another way to pay can be chosen", () => {
    const made = choice(LEGAL, { "buy 1a": ["buy 1a with uu", "buy 1a with u*"] });
    made.select({ kind: "card", slot: "1a" });
    expect([made.way, made.paid]).toEqual(["buy 1a with uu", [0, 2, 0, 0, 0, 0]]);
    made.payment = "buy 1a with u*";
    expect([made.way, made.paid]).toEqual(["buy 1a with u*", [0, 1, 0, 0, 0, 1]]);
  });
});

describe("giving tokens back", () => {
  function returning(tokens: number, held = [3, 1, 0, 4, 0, 4]) {
    const made = new Choice();
    made.update(["return w", "return u", "return r", "return *"], {}, "wugrk*", true, { tokens, held });
    return made;
  }

  test.each([
    [1, "w", ["return w"]],
    [2, "w", null],
    [2, "wr", ["return w", "return r"]],
    [2, "ww", ["return w", "return w"]],
    [1, "wr", ["return r"]],
    [2, "wru", ["return r", "return u"]],
    [2, "wg", null],
    [2, "uu", null],
    [1, "ww", null],
    [3, "wwww", null],
  ])("of %i too many: %s", (tokens, letters, expected) => {
    const made = returning(tokens);
    for (const letter of letters) made.giveBack(letter);
    expect(made.returns).toEqual(expected);
  });

  test("is let go of like any choice", () => {
    const made = returning(1);
    made.giveBack("w");
    expect(made.empty).toBe(false);
    made.clear();
    expect([made.empty, made.returns]).toEqual([true, null]);
  });

  test("is forgotten when it is somebody else's turn", () => {
    const made = returning(1);
    made.giveBack("w");
    made.update([], {}, "wugrk*", false);
    expect(made.empty).toBe(true);
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

  test("a token to give back is chosen", () => {
    const made = new Choice();
    made.update(["return w"], {}, "wugrk*", true, { tokens: 1, held: [3, 0, 0, 0, 0, 0] });
    expect([made.choose("return w"), made.returns]).toEqual([true, ["return w"]]);
  });

  test.each(["claim 2", "pass"])("%s needs no choice", (move) => {
    const made = choice();
    expect([made.choose(move), made.empty]).toEqual([false, true]);
  });
});
