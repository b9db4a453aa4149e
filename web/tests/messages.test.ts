// What every language must keep to. That keys, placeholders and plural forms are complete, the build checks.
import { expect, test } from "vitest";
import en from "../messages/en.json";
import is from "../messages/is.json";
import pl from "../messages/pl.json";
import pt from "../messages/pt.json";
import enRules from "../messages/rules/en.json";
import isRules from "../messages/rules/is.json";
import plRules from "../messages/rules/pl.json";
import ptRules from "../messages/rules/pt.json";

type Text = string | { match: Record<string, string> }[];
const forms = (text: Text) => (typeof text === "string" ? [text] : text.flatMap(({ match }) => Object.values(match)));
const ENGLISH = { ...en, ...enRules } as unknown as Record<string, Text>;
const OTHERS = { pl: { ...pl, ...plRules }, is: { ...is, ...isRules }, pt: { ...pt, ...ptRules } } as unknown as Record<string, Record<string, Text>>;

/** Names, and words that are spelled alike. */
const ALIKE = /^(\{[^}]*\}|[^\p{L}]|cabochon|Splendor|Marvel|Avengers|Menu|bot|Legend|Virtuoso|Moment|Pass|Salt|System|Tempo|S\.H\.I\.E\.L\.D\.)+$/u;

test.each(Object.keys(OTHERS))("nothing is left in English in %s", (locale) => {
  const left = Object.entries(OTHERS[locale]).flatMap(([key, text]) => {
    const english = new Set(forms(ENGLISH[key]));
    return key === "$schema" ? [] : forms(text).filter((form) => english.has(form) && !ALIKE.test(form)).map((form) => `${key}: ${form}`);
  });
  expect(left).toEqual([]);
});

/** Words that the rulebook of a language does not use, or uses for something else. */
const AVOIDED: Record<string, RegExp> = {
  pl: /\btali(a|i|ą|e|ę|ami)\b|\bbanku\b|\bbankiem\b|\d złot|offline/i,
  is: /\bþrep|\bstafl|í hverjum leik\b|\bMenu\b/i,
  pt: /\bgemas?\b|\btalão\b/i,
};

test.each(Object.entries(AVOIDED))("%s uses the words of its rulebook", (locale, avoided) => {
  const wrong = Object.entries(OTHERS[locale]).flatMap(([key, text]) => forms(text).filter((form) => avoided.test(form)).map((form) => `${key}: ${form}`));
  expect(wrong).toEqual([]);
});

test.each([
  ["pl", ["karty rozwoju", "punktów prestiżu", "punktów nieskończoności", "znacznik złota", "T.A.R.C.Z.Y."]],
  ["is", ["þróunarspil", "virðingarstig", "gulltákn", "aðalsmaður"]],
  ["pt", ["cartas de desenvolvimento", "pontos de prestígio", "cartas de nobreza", "ficha de ouro"]],
])("the rules in %s call things as the rulebook does", (locale, words) => {
  const rules = Object.entries(OTHERS[locale]).filter(([key]) => key.startsWith("rules_"));
  const said = rules.flatMap(([, text]) => forms(text)).join(" ").toLowerCase();
  for (const word of words) expect(said).toContain(word.toLowerCase());
});

// A `runtime.js` of an older version was found before `runtime.ts`: the page stayed English for the browser.
test("nothing lies beside the compiled messages but what belongs to them", () => {
  const files = Object.keys(import.meta.glob("../src/paraglide/*.{js,ts}")).map((path) => path.split("/").at(-1));
  expect(files.sort()).toEqual(["formats.js", "locales.ts", "messages.d.ts", "messages.js", "runtime.ts"]);
});
