// What the page around everything shows: theme of the table one sits at, title, dialogs.
import type { Variant } from "../api/http";

class PageState {
  variant = $state<Variant | null>(null);
  title = $state("");
  /** a game is on the table: on a phone it has the whole screen */
  playing = $state(false);
  dialog = $state<"rules" | "keys" | "settings" | null>(null);
  /** letters of the game on the table, for the help */
  letters = $state("");
}

export const page = new PageState();
