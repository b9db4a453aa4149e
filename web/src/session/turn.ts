import type { StateOut, ViewOut } from "../api/messages";

/** The view of a state. A game whose log is full is over, although by the rules somebody could move. */
export function viewOf(state: StateOut | null): ViewOut | null {
  const view = state?.view ?? null;
  return view && state?.outcome ? { ...view, stage: "over" } : view;
}

/** Whether the reader of a state is the seat to decide. */
export function isMine(state: StateOut | null): boolean {
  const view = viewOf(state);
  return view !== null && view.turn === state?.seat && view.stage !== "over";
}
