// The language of the page: the one that was chosen, else the first of the browser's that we have, else English.
import { baseLocale, locales, type Locale } from "../paraglide/locales";
import { store, stored } from "./storage";

export { baseLocale, locales, type Locale };

const KEPT_AS = "PARAGLIDE_LOCALE"; // the library of the first versions named it, and browsers still keep it

const isLocale = (text: string | null): text is Locale => locales.includes(text as Locale);

function ofBrowser(): Locale | undefined {
  const wanted = typeof navigator === "undefined" ? [] : (navigator.languages ?? []); // some embedded browsers have none
  return wanted.map((tag) => tag.toLowerCase().split("-")[0]).find(isLocale);
}

function found(): Locale {
  const kept = stored(KEPT_AS);
  return isLocale(kept) ? kept : (ofBrowser() ?? baseLocale);
}

let current: Locale | undefined;
let read = (): Locale => (current ??= found());

export const getLocale = (): Locale => read();

export function setLocale(language: Locale) {
  current = language;
  store(KEPT_AS, language);
}

/** For tests: another answer to what the language is. */
export function overwriteGetLocale(answer: () => Locale) {
  read = answer;
}
