// Gives every language the keys it lacks, in English, and takes away those English no longer has. For translators to find.
import { readFileSync, writeFileSync } from "node:fs";

const file = (folder, locale) => new URL(`../${folder}/${locale}.json`, import.meta.url);
const read = (folder, locale) => {
  try {
    return JSON.parse(readFileSync(file(folder, locale), "utf8"));
  } catch {
    return {};
  }
};
const { locales } = JSON.parse(readFileSync(new URL("../messages/languages.json", import.meta.url), "utf8"));
for (const folder of ["messages", "messages/rules"]) {
  const english = read(folder, "en");
  for (const locale of locales.filter((name) => name !== "en")) {
    const own = read(folder, locale);
    const whole = Object.fromEntries(Object.keys(english).map((key) => [key, own[key] ?? english[key]]));
    writeFileSync(file(folder, locale), JSON.stringify(whole, null, 2) + "\n");
  }
}
