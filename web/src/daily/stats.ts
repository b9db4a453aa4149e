// Counting one's own games: filters, and results in groups.
import type { MyGameOut } from "../api/messages";

/** What is looked at; null: everything. `opponent` is the name of a bot, or PEOPLE. */
export interface Filter {
  variant: string | null;
  opponent: string | null;
  players: number | null;
  source: MyGameOut["source"] | null;
}

export const EVERYTHING: Filter = { variant: null, opponent: null, players: null, source: null };
/** Whoever is no bot. No bot has such a name. */
export const PEOPLE = "*";

/** The others at the table: bots by name, everybody else as people. Without an own seat nobody is "other". */
export function opponents(game: MyGameOut): string[] {
  if (game.seat === null) return [];
  return [...new Set(game.players.filter((_, seat) => seat !== game.seat).map((player) => player.bot ?? PEOPLE))];
}

const fits = (game: MyGameOut, filter: Filter) =>
  (filter.variant === null || game.variant === filter.variant) &&
  (filter.opponent === null || opponents(game).includes(filter.opponent)) &&
  (filter.players === null || game.players.length === filter.players) &&
  (filter.source === null || game.source === filter.source);

export const filtered = (games: readonly MyGameOut[], filter: Filter) => games.filter((game) => fits(game, filter));

export type Grouping = "variant" | "opponent" | "players";

export interface Group {
  key: string;
  games: number;
  /** alone or shared */
  won: number;
}

const KEYS: Record<Grouping, (game: MyGameOut) => string[]> = {
  variant: (game) => [game.variant],
  opponent: opponents,
  players: (game) => [String(game.players.length)],
};

/** Results by game, opponent or number of players; games without a result of one's own do not count. The most played first. */
export function grouped(games: readonly MyGameOut[], by: Grouping): Group[] {
  const groups = new Map<string, Group>();
  for (const game of games) {
    if (game.result === null) continue;
    for (const key of KEYS[by](game)) {
      const group = groups.get(key) ?? { key, games: 0, won: 0 };
      groups.set(key, { key, games: group.games + 1, won: group.won + Number(game.result === "won" || game.result === "shared") });
    }
  }
  return [...groups.values()].sort((a, b) => b.games - a.games || a.key.localeCompare(b.key));
}

/** Every value that occurs, for a filter. */
export const choices = (games: readonly MyGameOut[], by: Grouping) => [...new Set(games.flatMap(KEYS[by]))].sort();

/** The error rates of reviewed games, the oldest first. */
export const rates = (games: readonly MyGameOut[]) =>
  games.flatMap(({ ended, error_rate }) => (error_rate === null ? [] : [{ ended, rate: error_rate }])).sort((a, b) => a.ended - b.ended);
