import { afterEach, describe, expect, test } from "vitest";
import citiesPage from "../../../src/cabochon/variants/cities/rules.md?raw";
import classicPage from "../../../src/cabochon/variants/classic/rules.md?raw";
import housePage from "../../../src/cabochon/variants/house-rules.md?raw";
import marvelPage from "../../../src/cabochon/variants/marvel/rules.md?raw";
import { hasHouseRules, held, rulesetOf, SECTIONS, told, type Section } from "../../src/announce/rulebook";
import type { TableOptions } from "../../src/api/messages";
import { m } from "../../src/paraglide/messages";
import { locales, overwriteGetLocale } from "../../src/paraglide/runtime";

afterEach(() => overwriteGetLocale(() => "en"));

const PRINTED = {
  classic: { theme: "classic", tile_kind: "noble", goal_kind: "points", has_time: false, has_avengers: false, goal: 15, token_limit: 10, hand_limit: 3 },
  marvel: { theme: "marvel", tile_kind: "location", goal_kind: "gauntlet", has_time: true, has_avengers: true, goal: 16, token_limit: 10, hand_limit: 3 },
  cities: { theme: "classic", tile_kind: "city", goal_kind: "city", has_time: false, has_avengers: false, goal: 0, token_limit: 10, hand_limit: 3 },
};
type Game = keyof typeof PRINTED;
const GAMES = Object.keys(PRINTED) as Game[];
const PAGES = { classic: classicPage, marvel: marvelPage, cities: citiesPage };
const ALL = Object.keys(SECTIONS) as Section[];
/** The page of Cities refers to Classic, or to the switches; on the screen the rules of Classic stand there themselves. */
const REFERENCES = ["the_cards_and_tokens_of_classic", "a_turn_is_as_in_classic", "the_goal_cannot_be_changed"];

type Message = (rules: object) => string;
const messages = m as unknown as Record<string, Message | undefined>;
const allHeld = (game: Game) => ALL.flatMap((section) => held(section, rulesetOf(PRINTED[game])));
const allTold = (game: Game, options?: Pick<TableOptions, "house" | "start">) =>
  ALL.flatMap((section) => told(section, rulesetOf(PRINTED[game], options), PRINTED[game]));

// The pages of the rules

/** A sentence about the examples of the page, or about how moves are written. */
const ABOUT_EXAMPLES = /`|\bexamples\b|\bseat \d|Rocket|Ghost Rider|Knowhere/;

/** The rule below a heading as plain words: without examples, editions and the marks of rulings. */
function prose(text: string): string {
  const words = text
    .replace(/(```|^\|)[\s\S]*$/m, "")
    .replace(/\*Edition:\*[\s\S]*?(?=\n\n|\n\*Ruling|$)/g, "")
    .replace(/\s+/g, " ")
    .replace(/\*Ruling[^*]*\* (\w)/g, (_, letter: string) => letter.toUpperCase());
  const sentences = words.split(/(?<=[.!?]) /).filter((sentence) => !ABOUT_EXAMPLES.test(sentence));
  return sentences.join(" ").trim();
}

const rulesOf = (page: string) =>
  page
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading, ...lines] = part.split(/^## /m)[0].split("\n");
      const text = lines.join("\n").trim();
      const name = heading.toLowerCase().replace(/[^a-z0-9]+/g, "_");
      return { name, text: prose(text), isRuling: /^\*Ruling/m.test(text) };
    })
    .filter(({ name }) => !REFERENCES.includes(name));

describe.each(GAMES)("the rules of %s", (game) => {
  const rules = rulesetOf(PRINTED[game]);

  test.each(rulesOf(PAGES[game]))("$name is said with the words of the page", ({ name, text }) => {
    expect(messages[`rules_${name}`]?.(rules)).toBe(text);
  });

  test("every rule of the page is on the screen, and rulings are marked there", () => {
    const shown = allHeld(game);
    for (const { name, isRuling } of rulesOf(PAGES[game])) {
      const rule = shown.find(({ say }) => say === messages[`rules_${name}`]);
      expect(rule, name).toBeDefined();
      expect(rule?.ruling?.(rules) ?? false, name).toBe(isRuling);
    }
  });
});

test("no rule speaks of what its game does not have", () => {
  for (const { text } of allTold("marvel")) expect(text).not.toMatch(/\bgold\b/i);
  for (const { text } of allTold("classic")) expect(text).not.toMatch(/grey|location|city|cities|Avengers/i);
  const nobles = allTold("cities").filter(({ text }) => /noble/i.test(text));
  expect(nobles.map(({ text }) => text)).toEqual([m.rules_no_nobles()]);
});

describe("house rules", () => {
  const house = { goal: 21, token_limit: 8, hand_limit: 2, take_fewer: true, open_reserves: false };

  test.each(locales)("their numbers are told in %s", (locale) => {
    overwriteGetLocale(() => locale);
    for (const game of ["classic", "marvel"] as const) {
      const changed = allTold(game, { house }).filter(({ isHouse }) => isHouse);
      const printed = new Set(allTold(game).map(({ text }) => text));
      expect(changed.map(({ text }) => text).filter((text) => printed.has(text))).toEqual([]);
      const words = changed.map(({ text }) => text).join(" ");
      for (const n of [21, 8, 2]) expect(words).toMatch(new RegExp(`(?<!\\d)${n}(?!\\d)`));
      for (const n of [10, 15, 16]) expect(words).not.toMatch(new RegExp(`(?<!\\d)${n}(?!\\d)`));
    }
  });

  test("the printed game has none", () => {
    for (const game of GAMES) {
      expect(hasHouseRules(rulesetOf(PRINTED[game]), PRINTED[game])).toBe(false);
      expect(allTold(game).filter(({ isHouse }) => isHouse)).toEqual([]);
    }
    expect(hasHouseRules(rulesetOf(PRINTED.classic, { house: { hand_limit: 0 } }), PRINTED.classic)).toBe(true);
  });

  test.each([
    [{ goal: 1 }, m.rules_fifteen_points_end_the_game, "Somebody who has 1 point or more at the end of a turn brings on the end."],
    [{ hand_limit: 1 }, m.rules_at_most_three_reserved_cards, "You may hold 1 reserved card. With 1 in hand you cannot reserve, not even for the gold."],
    [{ hand_limit: 0 }, m.rules_at_most_three_reserved_cards, "At this table nobody can reserve, and gold stays in the bank."],
    [{ token_limit: 1 }, m.rules_return_down_to_ten_tokens, "With more than 1 token after your action you give tokens back, one after the other, until you have exactly 1. Nothing else happens before that."],
  ])("%j", (one, say, expected) => {
    expect(say(rulesetOf(PRINTED.classic, { house: one }))).toBe(expected);
  });

  test.each(["fewer_tokens_by_choice", "open_reserves"])("%s is said as on the page", (name) => {
    const page = housePage.replace(/\s+/g, " ").toLowerCase();
    for (const sentence of messages[`rules_${name}`]!({}).split(/(?<=\.) /)) expect(page).toContain(sentence.toLowerCase());
  });

  test("the host begins where the table says so", () => {
    const texts = allTold("classic", { start: "host" }).map(({ text }) => text);
    expect(texts).toContain("At this table the host begins.");
    expect(texts).not.toContain("Chance decides who begins.");
  });
});

describe("every rule is in every language", () => {
  const rules = GAMES.map((game) => rulesetOf(PRINTED[game]));

  test.each(Object.keys(messages).filter((key) => key.startsWith("rules_")))("%s", (key) => {
    for (const one of rules) {
      const texts = locales.map((locale) => {
        overwriteGetLocale(() => locale);
        return messages[key]!(one);
      });
      expect(texts.every((text) => text.trim() && !/[{}]|undefined/.test(text))).toBe(true);
      // "Avengers" is called so in English, Polish and Icelandic, "bonus" is no translation.
      if (key !== "rules_avengers_title") expect(new Set(texts).size).toBe(locales.length);
    }
  });
});
