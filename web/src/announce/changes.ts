// What is said and sounded when a table changes, for readers who do not see it and for those who look elsewhere.
import type { EntryOut, StateOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { variantOf } from "../api/http";
import { alerts } from "../notify/alerts.svelte";
import { isMine } from "../session/turn";
import { live } from "./live.svelte";
import { sounds } from "./sounds";
import { gameName, spoken, type Speaker } from "./words";

/** After a long absence only so many lines are read out. */
const MAX_LINES = 6;

/** A function to call with each new state; it remembers what was so before. */
export function changes() {
  let wasMine = false;
  let wasLast = false;
  let wasOver = false;
  return (next: StateOut, fresh: EntryOut[], first: boolean, speaker: Speaker | null) => {
    const mine = isMine(next);
    const last = next.view?.last_round ?? false;
    if (!first) {
      // A takeback is a line for each move that it takes back, and one sentence.
      if (speaker) for (const sentence of new Set(fresh.slice(-MAX_LINES).map((entry) => spoken(entry, speaker)))) live.say(sentence);
      sound(fresh);
      if (mine && !wasMine) {
        live.say(m.log_your_turn());
        sounds.turn();
        void alerts.turn(`/t/${next.table.id}`, gameName(variantOf(next.table)));
      }
      if (!mine && wasMine) void alerts.clear(`/t/${next.table.id}`);
      if (last && !wasLast) live.say(m.log_last_round());
      if (next.outcome && !wasOver) sounds.end();
    }
    wasOver = next.outcome !== null;
    wasMine = mine;
    wasLast = last;
  };
}

function sound(fresh: readonly EntryOut[]) {
  const move = fresh.findLast((entry) => entry.kind === "move");
  if (!move) return;
  const isTokens = move.text.startsWith("take") || move.text.startsWith("return");
  (move.tile ? sounds.tile : isTokens ? sounds.token : sounds.card)();
}
