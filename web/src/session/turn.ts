import type { StateOut } from "../api/messages";

/** Whether the reader of a state is the seat to decide. */
export const isMine = (state: StateOut | null) =>
  state !== null && state.view !== null && state.view.turn === state.seat && state.view.stage !== "over";
