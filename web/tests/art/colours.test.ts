import { describe, expect, test } from "vitest";
import { baseColour, contrast, edgeColours, LETTERS, THEMES } from "../../src/art/colours";

/** The ground that gems lie on, by mode: --card-paper in theme.css. Cards of Marvel are dark in both. */
const PAPER: Record<string, { light: string; dark: string }> = {
  classic: { light: "#fbf6ea", dark: "#2e241d" },
  marvel: { light: "#151d36", dark: "#151d36" },
};
/** What WCAG asks of pictures: 3 to 1. */
const MIN_CONTRAST = 3;

describe.each(THEMES)("on a card of %s", (theme) => {
  test.each([...LETTERS[theme]].flatMap((letter) => (["light", "dark"] as const).map((mode) => [letter, mode] as const)))("%s is a gem in the %s", (letter, mode) => {
    const base = baseColour(theme, letter);
    const paper = PAPER[theme][mode];
    const best = Math.max(contrast(base, paper), contrast(edgeColours(base)[mode], paper));
    expect(best).toBeGreaterThanOrEqual(MIN_CONTRAST);
  });
});
