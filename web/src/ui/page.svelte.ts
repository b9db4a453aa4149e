// What the page around everything shows: the game one sits at and its theme, title, dialogs.
import type { Variant } from "../api/http";
import type { TableOptions } from "../api/messages";
import type { Theme } from "../art/types";
import { games } from "../session/games.svelte";
import { settings } from "./settings.svelte";

class PageState {
  /** the game on the table */
  variant = $state<Variant | null>(null);
  /** what its players have agreed on */
  options = $state.raw<TableOptions | null>(null);
  readonly theme: Theme = $derived(this.variant === null ? settings.theme : games.of(this.variant).theme);
  title = $state("");
  /** a game is on the table: on a phone it has the whole screen */
  playing = $state(false);
  dialog = $state<"rules" | "keys" | "settings" | null>(null);
  /** letters of the game on the table, for the help */
  letters = $state("");
}

export const page = new PageState();
