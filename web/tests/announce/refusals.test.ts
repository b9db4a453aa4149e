import { afterEach, describe, expect, test } from "vitest";
import { Refusal } from "../../src/api/http";
import type { RuleOut } from "../../src/api/messages";
import { failureWords, refusalWords } from "../../src/announce/refusals";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

const rule = (code: string, facts: RuleOut["facts"]) => ({ code: "rule", facts: {}, rule: { code, facts } as RuleOut });

afterEach(() => overwriteGetLocale(() => "en"));

describe("a refusal is said by its code", () => {
  test.each([
    [rule("pile_for_two", { gem: "k", left: 3 }), "Two of one colour need a pile of four (3 left)."],
    [rule("price_too_high", { card: 1, short: 2, price: "3r" }), "The price cannot be paid (2 short)."],
    [rule("overpaying", { price: "3r1k" }), "Overpaying is not allowed (the price: 3 rubies and 1 onyx)."],
    [rule("overpaying", { price: "-" }), "Overpaying is not allowed (the price: none)."],
    [rule("return_tokens_in_hand", { gem: "*" }), "Only tokens in hand can be returned (Gold: 0)."],
    [{ code: "not_your_turn", facts: { seat: 1 }, rule: null }, "It is not your turn."],
    [{ code: "from_the_future", facts: {}, rule: null }, "The server refused this."],
    [rule("from_the_future", {}), "The server refused this."],
  ])("%j", (refused, expected) => {
    expect(refusalWords(refused, "classic")).toBe(expected);
  });

  test("in the reader's language, with the names of the other game's gems", () => {
    overwriteGetLocale(() => "pl");
    expect(refusalWords(rule("not_in_the_bank", { gem: "y" }), "marvel")).toMatch(/^Możesz wziąć tylko znacznik, który jest w zasobach \(.*: 0\)\.$/);
  });

  test("also over HTTP", () => {
    expect(failureWords(new Refusal(404, "there is no such table", "no_table"))).toBe("That did not work: There is no such table.");
    expect(failureWords(new Refusal(502, "Bad Gateway"))).toBe("That did not work: The server refused this.");
  });
});
