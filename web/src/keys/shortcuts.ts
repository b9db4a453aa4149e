// The keyboard at a table, as a list of shortcuts: the first that fits a key is run.
import type { Playable } from "../session/playable";
import { focusFirst } from "./focus";

/** What keys can do besides playing: parts of the page that the session knows nothing of. */
export interface Panels {
  /** Read out how things stand. */
  status(): void;
  log(): void;
}

export interface Shortcut {
  keys: readonly string[] | ((table: Playable) => readonly string[]);
  when?: (table: Playable) => boolean;
  /** The browser does nothing else with this key. */
  takesOver?: boolean;
  run: (table: Playable, key: string, event: KeyboardEvent, panels: Panels) => unknown;
}

const COLOURS = 5;
const inStage = (stage: string) => (table: Playable) => table.mine && table.view.stage === stage;

export const SHORTCUTS: readonly Shortcut[] = [
  // While tokens are returned or a tile is chosen, letters and numbers mean that.
  {
    keys: (table) => [...table.data.letters, "d"],
    when: inStage("return"),
    takesOver: true,
    run: (table, key) => table.giveBack(key === "d" ? "*" : key),
  },
  { keys: ["1", "2", "3", "4", "5"], when: inStage("claim"), takesOver: true, run: (table, key) => table.claim(Number(key)) },
  { keys: (table) => [...table.data.letters].slice(0, COLOURS), takesOver: true, run: (table, key) => table.pick(key) },

  { keys: ["backspace"], takesOver: true, run: (table) => table.putBack() },
  {
    keys: ["escape"],
    run: (table) => {
      table.hint = null;
      table.clear();
    },
  },
  { keys: ["enter"], run: (table, _key, event) => confirm(table, event) },
  { keys: ["a"], run: (table) => table.buy() },
  { keys: ["s"], run: (table) => table.reserve() },
  { keys: ["q"], run: (table) => table.nextPayment() },
  { keys: ["x"], run: (table) => table.pass() },
  { keys: ["z"], run: (table) => table.undo() },
  { keys: ["i"], run: (table) => table.askHint() },

  // Walking: the tiers, the own reserve, the tiles, the bank.
  { keys: ["1", "2", "3"], run: (_table, tier) => focusFirst([..."abcd"].map((place) => `card-${tier}${place}`).concat(`deck-${tier}`)) },
  { keys: ["4"], run: () => focusFirst(["reserve-1", "reserve-2", "reserve-3"]) },
  { keys: ["5"], run: () => focusFirst(["tile-1"]) },
  { keys: ["6"], run: (table) => focusFirst([`bank-${table.data.letters[0]}`]) },

  { keys: ["t"], run: (_table, _key, _event, panels) => panels.status() },
  { keys: ["l"], run: (_table, _key, _event, panels) => panels.log() },
];

/** Enter plays what is chosen; but a button under the focus does its own thing, unless it is the thing that is chosen. */
function confirm(table: Playable, event: KeyboardEvent) {
  const target = event.target as HTMLElement;
  const { choice } = table;
  if (target.dataset.advice?.startsWith("reserve") && choice.reserve === target.dataset.advice) {
    event.preventDefault();
    return table.reserve();
  }
  const isButton = target.closest("button, a, summary") && target.getAttribute("aria-pressed") !== "true";
  if (isButton && !(choice.take && target.dataset.nav === "bank")) return;
  event.preventDefault();
  if (choice.returns) return table.returnAll();
  if (choice.take) return table.take();
  if (choice.buy) return table.buy();
}

/** The shortcut for a key, if there is one now. */
export const shortcut = (table: Playable, key: string): Shortcut | undefined =>
  SHORTCUTS.find(({ keys, when }) => (typeof keys === "function" ? keys(table) : keys).includes(key) && (when?.(table) ?? true));

/** A letter, a digit or a sign: those who speak to their computer, or tremble, switch such shortcuts off. */
export const isSingleKey = (key: string) => [...key].length === 1;

/** Whether a key is meant for the table, and not for a field, a dialog or the browser. */
export const isForTable = (event: KeyboardEvent, singleKeys: boolean) =>
  !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) &&
  (singleKeys || !isSingleKey(event.key)) &&
  !(event.target as HTMLElement).closest("input, select, textarea, dialog");

export function press(table: Playable, event: KeyboardEvent, panels: Panels) {
  const key = event.key.toLowerCase();
  const found = shortcut(table, key);
  if (!found) return;
  if (found.takesOver) event.preventDefault();
  void found.run(table, key, event, panels);
}
