// Gives every language the keys it lacks, in English, and takes away those English no longer has. For translators to find.
import { readFileSync, writeFileSync } from "node:fs";

const file = (locale) => new URL(`../messages/${locale}.json`, import.meta.url);
const read = (locale) => {
  try {
    return JSON.parse(readFileSync(file(locale), "utf8"));
  } catch {
    return {};
  }
};
const english = read("en");
const { locales } = JSON.parse(readFileSync(new URL("../project.inlang/settings.json", import.meta.url), "utf8"));
for (const locale of locales.filter((name) => name !== "en")) {
  const own = read(locale);
  const whole = Object.fromEntries(Object.keys(english).map((key) => [key, own[key] ?? english[key]]));
  writeFileSync(file(locale), JSON.stringify(whole, null, 2) + "\n");
}
