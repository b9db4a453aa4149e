import type { Theme } from "./types";

/** The gems of a theme, in the order of all counts: five colours, wild, and Time where there is any. */
const BASE: Record<Theme, Record<string, string>> = {
  classic: { w: "#EDEFF4", u: "#2B5FB8", g: "#1E8A5A", r: "#C2303E", k: "#2A2A2E", "*": "#D9A93A" },
  marvel: { y: "#F2C230", p: "#8E4FC4", b: "#2F7BD9", r: "#D23B3B", o: "#EE8A2B", "*": "#9AA3AD", t: "#3CB371" },
};

export const THEMES: readonly Theme[] = Object.keys(BASE);
export const LETTERS: Record<Theme, string> = Object.fromEntries(THEMES.map((theme) => [theme, Object.keys(BASE[theme]).join("")]));

export const NIGHT = "#0E1529";

export const baseColour = (theme: Theme, letter: string): string => BASE[theme][letter] ?? "#888888";

/** The stone's light on its surroundings. Yellow light on blue turns to mud; amber stays warm. */
export const lampColour = (theme: Theme, letter: string): string => (letter === "y" ? "#E08A1E" : baseColour(theme, letter));

const channels = (hex: string): number[] => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** `a` with the share `t` of `b` in it. */
export function mix(a: string, b: string, t: number): string {
  const [from, to] = [channels(a), channels(b)];
  return "#" + from.map((v, i) => Math.round(v + (to[i] - v) * t).toString(16).padStart(2, "0")).join("");
}

/** Lighter for s > 0, darker for s < 0; white and black stay a little short of pure, as stones do. */
export const tint = (base: string, s: number): string => (s < 0 ? mix(base, "#0B0A12", -s) : mix(base, "#FFFFFF", s));

/** 0 (black) to 1 (white), as the eye sees it. */
export function lightness(hex: string): number {
  const [r, g, b] = channels(hex);
  return (0.3 * r + 0.59 * g + 0.11 * b) / 255;
}

/** Stones darker than this are lost on dark wood. */
const DARK_STONE = 0.38;

/** The edge of a gem on light and on dark ground: dark as a rule, but in the dark the brighter the darker the stone is. */
export function edgeColours(base: string): { light: string; dark: string } {
  const edge = tint(base, lightness(base) < 0.55 ? -0.62 : -0.66);
  return { light: edge, dark: lightness(base) < DARK_STONE ? tint(base, 0.75 - lightness(base)) : edge };
}

/** How much two colours stand out from each other, from 1 to 21 (WCAG). */
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

function luminance(hex: string): number {
  const [r, g, b] = channels(hex).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
