import { afterEach, describe, expect, test } from "vitest";
import { Refusal } from "../../src/api/http";
import type { RuleOut } from "../../src/api/messages";
import { failureWords, refusalWords } from "../../src/announce/refusals";
import "../../src/announce/table_refusals";
import { ruleWords } from "../../src/announce/rules";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

const rule = (code: string, facts: RuleOut["facts"]) => ({ code, facts }) as RuleOut;

afterEach(() => overwriteGetLocale(() => "en"));

describe("a rule is said by its code", () => {
  test.each([
    [rule("pile_for_two", { gem: "k", left: 3 }), "Two of one colour need a pile of four (3 left)."],
    [rule("price_too_high", { card: 1, short: 2, price: "3r" }), "The price cannot be paid (2 short)."],
    [rule("overpaying", { price: "3r1k" }), "Overpaying is not allowed (the price: 3 rubies and 1 onyx)."],
    [rule("overpaying", { price: "-" }), "Overpaying is not allowed (the price: none)."],
    [rule("return_tokens_in_hand", { gem: "*" }), "Only tokens in hand can be returned (Gold: 0)."],
    [rule("from_the_future", {}), "The server refused this."],
  ])("%j", (refused, expected) => {
    expect(ruleWords(refused, "classic")).toBe(expected);
  });

  test("in the reader's language, with the names of the other game's gems", () => {
    overwriteGetLocale(() => "pl");
    expect(ruleWords(rule("not_in_the_bank", { gem: "y" }), "marvel")).toMatch(/^Możesz wziąć tylko znacznik, który jest w zasobach \(.*: 0\)\.$/);
  });
});

describe("what else the server refuses, too", () => {
  test.each([
    ["not_your_turn", "It is not your turn."],
    ["from_the_future", "The server refused this."],
  ])("%s", (code, expected) => {
    expect(refusalWords({ code, facts: { seat: 1 } })).toBe(expected);
  });

  test("also over HTTP", () => {
    expect(failureWords(new Refusal(404, "there is no such table", "no_table"))).toBe("That did not work: There is no such table.");
    expect(failureWords(new Refusal(502, "Bad Gateway"))).toBe("That did not work: The server refused this.");
  });
});
