// The addresses of the analysis board.
import { ask } from "../api/http";
import type { AnalysisIn, AnalysisOut, CreatedOut, DraftIn, FromHereIn, GameLineOut, RecordIn, RecordOut } from "../api/messages";
import "../announce/table_refusals";
import { addRefusals } from "../announce/refusals";
import { m } from "../paraglide/messages";

addRefusals({ impossible: m.refused_impossible, no_deal: m.refused_no_deal, bad_record: m.refused_bad_record });

/** Moves that are played by one request; the server takes no more. */
export const MAX_STEPS = 40;

export const analyse = (asked: AnalysisIn) => ask<AnalysisOut>("POST", "/api/analysis", asked);
export const draft = (asked: DraftIn) => ask<AnalysisOut>("POST", "/api/analysis/draft", asked);
export const record = (asked: RecordIn) => ask<RecordOut>("POST", "/api/analysis/record", asked);
export const playFromHere = (asked: FromHereIn) => ask<CreatedOut>("POST", "/api/analysis/table", asked);
export const gameLine = (id: string, seat: number | null) =>
  ask<GameLineOut>("GET", `/api/tables/${encodeURIComponent(id)}/analysis${seat === null ? "" : `?seat=${seat}`}`);
export const recordLine = (record: string) => ask<GameLineOut>("POST", "/api/analysis/game", { record });
export const socketAddress = () => `${location.origin.replace(/^http/, "ws")}/api/analysis/socket`;
