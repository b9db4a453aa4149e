// What this browser remembers about its reader.
import type { VariantOut } from "../api/messages";
import { THEMES } from "../art/colours";
import type { Theme } from "../art/types";
import { getLocale, locales, setLocale, type Locale } from "../paraglide/runtime";
import "./language";
import { store, stored } from "./storage";

export type Mode = "auto" | "light" | "dark";
export type Motion = "auto" | "full" | "none";

export const languages: Record<Locale, string> = { en: "English", pl: "polski", is: "íslenska", pt: "português" };
export { locales, type Locale };

const kept = (key: string) => stored(`cabochon.${key}`);
export const keep = (key: string, value: string | null) => store(`cabochon.${key}`, value);

export const remembered = kept;

function oneOf<T extends string>(value: string | null, allowed: readonly T[], otherwise: T): T {
  return allowed.includes(value as T) ? (value as T) : otherwise;
}

class Settings {
  language = $state<Locale>(getLocale());
  mode = $state<Mode>(oneOf(kept("mode"), ["auto", "light", "dark"], "auto"));
  motion = $state<Motion>(oneOf(kept("motion"), ["auto", "full", "none"], "auto"));
  sound = $state(kept("sound") === "on");
  letters = $state(kept("letters") === "on");
  prices = $state(kept("prices") !== "off");
  /** shortcuts of a single key */
  keys = $state(kept("keys") !== "off");
  /** the game chosen for the next table, and how the pages without a game are drawn */
  game = $state(kept("game"));
  theme = $state<Theme>(oneOf(kept("theme"), THEMES, THEMES[0]));
  #dark = matchMedia("(prefers-color-scheme: dark)");
  #still = matchMedia("(prefers-reduced-motion: reduce)");
  systemDark = $state(this.#dark.matches);
  systemStill = $state(this.#still.matches);

  constructor() {
    this.#dark.addEventListener("change", (event) => (this.systemDark = event.matches));
    this.#still.addEventListener("change", (event) => (this.systemStill = event.matches));
  }

  get dark() {
    return this.mode === "auto" ? this.systemDark : this.mode === "dark";
  }

  get moves() {
    return this.motion === "auto" ? !this.systemStill : this.motion === "full";
  }

  setLanguage(language: Locale) {
    setLocale(language);
    this.language = language;
  }

  set<K extends "mode" | "motion">(key: K, value: this[K]) {
    this[key] = value;
    keep(key, value as string);
  }

  chooseGame({ name, theme }: VariantOut) {
    this.game = name;
    this.theme = theme;
    keep("game", name);
    keep("theme", theme);
  }

  toggle(key: "sound" | "letters" | "prices" | "keys") {
    this[key] = !this[key];
    keep(key, this[key] ? "on" : "off");
  }
}

export const settings = new Settings();
