import type { ViewOut } from "../api/messages";
import type { Playing } from "./table.svelte";

/** What the bar and the keys need of whatever is played: a table, a puzzle or a study. */
export type Playable = Pick<
  Playing,
  | "choice" | "data" | "seats" | "mine" | "busy" | "sending" | "note" | "prices" | "tokenLimit"
  | "canUndo" | "canHint" | "hinting" | "hint" | "askHint" | "undo" | "back"
  | "pick" | "putBack" | "clear" | "nextPayment" | "take" | "buy" | "reserve" | "giveBack" | "returnAll" | "claim" | "pass"
> & { view: ViewOut };
