// What the server refuses, by code, in the reader's language. The rules of the game are in rules.ts.
import { Refusal } from "../api/http";
import type { RefusedOut, RuleOut } from "../api/messages";
import { m } from "../paraglide/messages";

/** What the client knows of a refusal: the server's, or that a socket was closed for good or lost. */
export interface Refused {
  code: string;
  facts: RefusedOut["facts"];
  rule: RuleOut | null;
}

export type Facts = Record<string, string | number>;
/** A message with whatever placeholders; `scripts/check-messages.mjs` sees to it that they are the same in all languages. */
export type Say = (facts: never) => string;

/** What only pages meet that are loaded later: the words come with them, so that the first page stays small. */
const LATER: Partial<Record<RefusedOut["code"], Say>> = {};
/** What only a table says, see `table_refusals.ts`. */
export type TableRefusal =
  | "not_begun" | "begun" | "over" | "not_your_turn" | "wrong_number" | "gone_on" | "log_full" | "hint_alone" |
  "hint_coming" | "sealed_already" | "no_seal" | "wrong_nonce" | "not_opening" | "no_takeback" | "nothing_to_undo" |
  "asked_already" | "asked_enough" | "nothing_asked" | "not_asked" | "stand_in" | "own_stand_in" | "no_stand_in" |
  "bot_there" | "not_away" | "resigned" | "rematch_later" | "chat_empty" | "chat_full" | "too_many_chats" |
  "somebody_there" | "nobody_there" | "own_seat" | "kicked" | "watching" | "no_own_seat" | "no_eyes" | "host_only" |
  "too_many_takebacks" | "from_position";
type Later = "no_review" | "bad_record" | "record_not_over" | "record_too_long" | "not_asked_here" | "too_many_studies" | "too_many_own_studies"
  | "impossible" | "no_deal" | "no_puzzle"
  | "counts" | "tried" | "duel_full" | "no_records" | "too_many_records" | "no_device_key"
  | TableRefusal;
export const addRefusals = (words: Partial<Record<Later, Say>>) => void Object.assign(LATER, words);

// The types list the codes of the server, so one without words here does not compile.
const REFUSALS: Record<Exclude<RefusedOut["code"], Later> | "opened_elsewhere", Say> = {
  rule: m.refused_rule,
  not_over: m.refused_not_over,
  old_deal: m.refused_old_deal,
  no_cookie: m.refused_no_cookie,
  no_push: m.refused_no_push,
  unknown_push_service: m.refused_unknown_push_service,
  seat_taken: m.refused_seat_taken,
  no_seat: m.refused_no_seat,
  house_rules: m.refused_house_rules,
  unknown_bot: m.refused_unknown_bot,
  too_many_bots: m.refused_too_many_bots,
  name_characters: m.refused_name_characters,
  name_empty: m.refused_name_empty,
  no_table: m.refused_no_table,
  no_link: m.refused_no_link,
  other_seat: m.refused_other_seat,
  nothing_there: m.refused_nothing_there,
  nobody_watches: m.refused_nobody_watches,
  face_down: m.refused_face_down,
  other_eyes: m.refused_other_eyes,
  other_site: m.refused_other_site,
  not_understood: m.refused_not_understood,
  bad_request: m.refused_bad_request,
  bad_host: m.refused_bad_host,
  wrong_method: m.refused_wrong_method,
  too_slow: m.refused_too_slow,
  headers_too_large: m.refused_headers_too_large,
  too_large: m.refused_too_large,
  too_many_messages: m.refused_too_many_messages,
  too_many_requests: m.refused_too_many_requests,
  too_many_connections: m.refused_too_many_connections,
  too_many_tables: m.refused_too_many_tables,
  too_many_moves: m.refused_too_many_moves,
  too_many_waiting: m.refused_too_many_waiting,
  too_many_waiting_there: m.refused_too_many_waiting_there,
  starting: m.refused_starting,
  stopping: m.refused_stopping,
  server_full: m.refused_server_full,
  not_stored: m.refused_not_stored,
  no_database: m.refused_no_database,
  damaged: m.refused_damaged,
  failed: m.refused_failed,
  // Our own: another window of ours took the place.
  opened_elsewhere: m.refused_opened_elsewhere,
};

/** A newer server may know a code that this page does not: then at least it says so in the reader's language. */
export const say = (message: Say | undefined, facts: Facts) => `${(message ?? m.refused_unknown)(facts as never)}.`;

/** Why something was refused. A rule of the game has words of its own: `ruleWords`. */
export const refusalWords = ({ code, facts }: Pick<Refused, "code" | "facts">) => say(REFUSALS[code as keyof typeof REFUSALS] ?? LATER[code as Later], facts);

/** What went wrong with a request. */
export const failureWords = (error: unknown) =>
  error instanceof Refusal ? m.failed({ reason: refusalWords(error) }) : m.offline();
