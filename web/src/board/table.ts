import { WILD } from "../announce/words";
import type { AreaOut, ClockOut, GameDataOut, SeatOut, ViewOut } from "../api/messages";
import type { Choice, Selected } from "../session/choice.svelte";

/** A table as the board draws it: what lies there and, where somebody plays, what can be done. A replay has only the first part. */
export interface BoardTable {
  data: GameDataOut;
  view: ViewOut;
  seats: SeatOut[];
  /** the seat at the near side of the table */
  near: number | null;
  tokenLimit: number;
  /** how many cards a seat may reserve */
  handLimit: number;

  goalWords?: string;
  /** the same where there is little room */
  goalShort?: string;
  prices?: Record<string, number[]>;
  choice?: Choice;
  /** what the last turn touched */
  last?: Set<string>;
  clock?: ClockOut | null;
  /** when the clock was right */
  received?: number;
  pick?: (letter: string) => void;
  select?: (selected: Selected) => void;
  giveBack?: (letter: string) => void;
  claim?: (place: number) => void;
}

/** The choice of whoever sits at the near side; a spectator and a replay have none. */
export const choiceAt = (table: BoardTable): Choice | null => (table.near === null ? null : (table.choice ?? null));

/** The stones of the Gauntlet that a seat has: one of each colour, and Time. */
export const stonesOf = (area: AreaOut): boolean[] => [...area.bonuses.slice(0, WILD).map((n) => n > 0), (area.tokens[WILD + 1] ?? 0) > 0];
