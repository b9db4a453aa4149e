// The names of themes and difficulties.
import { m } from "../paraglide/messages";
import type { Theme } from "./progress.svelte";

// The types list the themes, so one without a name here does not compile.
const THEMES: Record<Theme, (kind: { tile_kind: string }) => string> = {
  win: () => m.puzzle_theme_win(),
  block: () => m.puzzle_theme_block(),
  race: () => m.puzzle_theme_race(),
  tile: (kind) => m.puzzle_theme_tile(kind),
  reserve: () => m.puzzle_theme_reserve(),
  gauntlet: () => m.puzzle_theme_gauntlet(),
  avengers: () => m.puzzle_theme_avengers(),
  tempo: () => m.puzzle_theme_tempo(),
};
export const ALL_THEMES = Object.keys(THEMES) as Theme[];

const DIFFICULTIES = [m.puzzle_level_1, m.puzzle_level_2, m.puzzle_level_3, m.puzzle_level_4, m.puzzle_level_5];

/** A theme; a tile is called what it is in the game, and a tile where it is one of several games. */
export const themeName = (theme: Theme, tile_kind: string) => THEMES[theme]({ tile_kind });
export const difficultyName = (difficulty: number) => DIFFICULTIES[difficulty - 1]?.() ?? String(difficulty);
