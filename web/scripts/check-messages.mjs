// Every language says everything: a missing or superfluous key, a forgotten placeholder or plural form fails the build,
// and so does a message that nobody uses.
import { readFileSync, readdirSync } from "node:fs";

const root = new URL("../", import.meta.url);
const json = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));
const { locales, baseLocale } = json("messages/languages.json");
const problems = [];
/** The messages of a language: those of the pages, and those of the rules. */
const messages = (locale) => {
  const files = ["messages", "messages/rules"].map((folder) => json(`${folder}/${locale}.json`));
  for (const key of Object.keys(files[0]))
    if (key !== "$schema" && key in files[1]) problems.push(`${locale}: ${key} is in two files`);
  return Object.assign({}, ...files);
};

const texts = (message) => (typeof message === "string" ? [message] : message.flatMap((one) => Object.values(one.match)));
const placeholders = (message) =>
  [...new Set(texts(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1])))].sort().join();

/** The plural categories a match leaves out, for each combination of the other selectors. */
function gaps(message, locale) {
  if (typeof message === "string") return [];
  const lacking = [];
  for (const { declarations, match } of message) {
    const plurals = declarations.flatMap((line) => [...line.matchAll(/local (\w+) = \w+: plural/g)].map((found) => found[1]));
    const rows = Object.keys(match).map((key) => Object.fromEntries(key.split(",").map((part) => part.trim().split("="))));
    for (const plural of plurals) {
      const others = new Set(rows.map((row) => JSON.stringify({ ...row, [plural]: undefined })));
      for (const other of others) {
        const forms = rows.filter((row) => JSON.stringify({ ...row, [plural]: undefined }) === other).map((row) => row[plural]);
        if (forms.includes("*")) continue;
        for (const category of new Intl.PluralRules(locale).resolvedOptions().pluralCategories)
          if (!forms.includes(category)) lacking.push(category);
      }
    }
  }
  return [...new Set(lacking)];
}

const english = messages(baseLocale);
const keys = Object.keys(english).filter((key) => key !== "$schema");
for (const locale of locales) {
  const own = messages(locale);
  for (const key of keys) {
    if (!(key in own)) problems.push(`${locale}: ${key} is missing`);
    else {
      if (texts(own[key]).some((text) => text.trim() === "")) problems.push(`${locale}: ${key} is empty`);
      if (placeholders(own[key]) !== placeholders(english[key]))
        problems.push(`${locale}: ${key} has the placeholders ${placeholders(own[key])}, not ${placeholders(english[key])}`);
      for (const category of gaps(own[key], locale)) problems.push(`${locale}: ${key} has no form for ${category}`);
    }
  }
  for (const key of Object.keys(own))
    if (key !== "$schema" && !(key in english)) problems.push(`${locale}: ${key} is not in ${baseLocale}`);
}

const sources = readdirSync(new URL("src", root), { recursive: true })
  .filter((name) => /\.(svelte|ts)$/.test(name) && !name.startsWith("paraglide"))
  .map((name) => readFileSync(new URL(`src/${name}`, root), "utf8"))
  .concat(readFileSync(new URL("scripts/worker.mjs", root), "utf8"))
  .join("\n");
const used = new Set([...sources.matchAll(/\bm\.(\w+)/g)].map((match) => match[1]));
for (const key of keys) if (!used.has(key)) problems.push(`${key} is used nowhere`);
for (const key of used) if (!keys.includes(key)) problems.push(`m.${key} is used but not written`);

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`messages: ${keys.length} in ${locales.length} languages`);
