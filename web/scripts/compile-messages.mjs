// Makes a function of every message, in src/paraglide: m.key({...}) is its text in the language of the page, typed by its placeholders.
//
// A message is a text with {placeholders}, or a list of cases in the message format of inlang: declarations (input n, local x = n: plural),
// and texts by what the selectors are, the first that fits. Each is a module of its own, so that a page loads only what it says.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const out = new URL("src/paraglide/", root);
const json = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));
const { baseLocale, locales } = json("messages/languages.json");
const messages = Object.fromEntries(
  locales.map((locale) => [locale, { ...json(`messages/${locale}.json`), ...json(`messages/rules/${locale}.json`) }]),
);
const keys = Object.keys(messages[baseLocale]).filter((key) => key !== "$schema");
const OTHERWISE = "*";

/** A text as a template literal. */
const literal = (text) => `\`${text.replace(/[`\\]|\$(?=\{)/g, "\\$&").replace(/\{(\w+)\}/g, "${i.$1}")}\``;

/** What a selector is compared with: an input as it is, or what a local makes of it. */
function selector(name, declarations, locale) {
  const local = declarations.find((line) => line.startsWith(`local ${name} = `));
  if (!local) return `i.${name}`;
  const [, input, kind] = /= (\w+): (\w+)$/.exec(local);
  return `${kind}("${locale}", i.${input})`;
}

/** The body of a message in one language. */
function body(message, locale) {
  if (typeof message === "string") return `return ${literal(message)};`;
  const [{ declarations, match }] = message;
  const lines = Object.entries(match).map(([key, text]) => {
    const wanted = key.split(",").map((part) => part.trim().split("=")).filter(([, value]) => value !== OTHERWISE);
    const tests = wanted.map(([name, value]) => `${selector(name, declarations, locale)} === ${JSON.stringify(value)}`);
    return `${tests.length ? `if (${tests.join(" && ")}) ` : ""}return ${literal(text)};`;
  });
  return lines.join(" ");
}

const inputs = (message) => {
  const texts = typeof message === "string" ? [message] : Object.values(message[0].match);
  const declared = typeof message === "string" ? [] : message[0].declarations.flatMap((line) => /^input (\w+)/.exec(line)?.[1] ?? []);
  return [...new Set([...declared, ...texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]))])];
};

/** The module of a message. Constant texts need no function for each language. */
function compiled(key) {
  const bodies = locales.map((locale) => [locale, body(messages[locale][key], locale)]);
  const code = bodies.map(([, one]) => one).join(" ");
  const formats = ["plural", "number"].filter((kind) => code.includes(`${kind}("`));
  const cases = bodies
    .filter(([locale]) => locale !== baseLocale)
    .map(([locale, one]) => `  if (l === "${locale}") ${one.startsWith("return") ? one : `{ ${one} }`}\n`);
  return (
    `import { getLocale } from "../../ui/language";\n` +
    (formats.length ? `import { ${formats.join(", ")} } from "../formats";\n` : "") +
    `export const ${key} = (${inputs(messages[baseLocale][key]).length ? "i" : ""}) => {\n  const l = getLocale();\n${cases.join("")}` +
    `  ${Object.fromEntries(bodies)[baseLocale]}\n};\n`
  );
}

/** Making plural rules takes far longer than asking them: one set for a language. */
const formats = `const kept = {};
export const plural = (locale, value) => (kept[\`plural \${locale}\`] ??= new Intl.PluralRules(locale)).select(Number(value));
export const number = (locale, value) => (kept[\`number \${locale}\`] ??= new Intl.NumberFormat(locale)).format(Number(value));
`;

const type = (key) => {
  const names = inputs(messages[baseLocale][key]);
  return `  export const ${key}: (${names.length ? `inputs: { ${names.map((name) => `${name}: NonNullable<unknown>`).join("; ")} }` : ""}) => string;\n`;
};

const written = new Set();

/** Writes only what changed, so that a page under development loads only that anew. */
function write(path, text) {
  written.add(path);
  const url = new URL(path, out);
  try {
    if (readFileSync(url, "utf8") === text) return;
  } catch {
    // not there yet
  }
  writeFileSync(url, text);
}

mkdirSync(new URL("messages/", out), { recursive: true });
for (const key of keys) write(`messages/${key}.js`, compiled(key));
write("messages/_index.js", keys.map((key) => `export * from "./${key}.js";\n`).join(""));
write("messages.js", `export * as m from "./messages/_index.js";\n`);
write("messages.d.ts", `export namespace m {\n${keys.map(type).join("")}}\n`);
write("formats.js", formats);
write("locales.ts", `export const baseLocale = "${baseLocale}";\nexport const locales = ${JSON.stringify(locales)} as const;\nexport type Locale = (typeof locales)[number];\n`);
write("runtime.ts", `export * from "../ui/language";\n`);
// What an older version of this left would be found first: `runtime.js` before `runtime.ts`.
for (const folder of ["", "messages/"])
  for (const file of readdirSync(new URL(folder, out), { withFileTypes: true }))
    if (file.isFile() && !written.has(folder + file.name)) rmSync(new URL(folder + file.name, out));
