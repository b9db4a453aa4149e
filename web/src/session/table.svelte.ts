// One table as this browser has it: the connection, the half-made choice, and everything that can be done. It draws nothing.
import "../announce/table_refusals";
import { tick } from "svelte";
import { changes } from "../announce/changes";
import { live } from "../announce/live.svelte";
import { refusalWords } from "../announce/refusals";
import { ruleWords } from "../announce/rules";
import { sounds } from "../announce/sounds";
import { adviceWords } from "../announce/status";
import { chatWords, goalShort, named, seatName, type Speaker } from "../announce/words";
import { gameData, variantOf, type Variant } from "../api/http";
import type { ChatLineOut, EntryOut, GameDataOut, HintOut, StateOut, ViewOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { TableChat } from "./chat.svelte";
import { Choosing } from "./choosing.svelte";
import { Connection, LOST, type Answer, type Request } from "./connection.svelte";
import { DealPartner } from "./deal.svelte";
import { touched } from "./touched";
import { isMine, viewOf } from "./turn";

/** A move that takes longer than this, in milliseconds, is said to be on its way. */
const SLOW = 300;
/** Of what is said at once, so many lines are read out. */
const MAX_READ_OUT = 3;

/** What the page does when something happens at the table. */
export interface Stage {
  /** A new state has come; the old one is still on the screen. */
  before(fresh: EntryOut[], data: GameDataOut): void;
  /** The new state is on the screen. */
  after(): void;
  /** The game is over, just now or before this page was opened. */
  over(isNew: boolean): void;
  /** A hint has come. */
  hinted(): void;
  /** A move of this browser was played. */
  played(): void;
}

/** A session with a game on the table. */
export type Playing = TableSession & { current: StateOut; view: ViewOut; data: GameDataOut; speaker: Speaker };

export class TableSession extends Choosing {
  readonly connection: Connection;
  readonly partner: DealPartner;
  readonly chat: TableChat;

  hint = $state.raw<HintOut | null>(null);
  hinting = $state(false);
  /** The rematch that begins now and that this seat has agreed to. */
  nextTable = $state<string | null>(null);

  #isOver = false;
  #nextTable: Connection | null = null;
  /** Who comes to look back at a game is not led away to its rematch. */
  #hasRematch = false;
  #announce = changes();
  /** The deal is going on while we look: afterwards we know whether we had a part in it. */
  #dealing = false;
  /** This browser has just opened the table, and the game is to begin at once. */
  #begin: boolean;

  constructor(
    readonly id: string,
    begin: boolean,
    readonly stage: Stage,
  ) {
    super();
    this.connection = new Connection(id);
    this.chat = new TableChat(this.connection);
    this.partner = new DealPartner(this.connection, begin);
    this.#begin = begin;
    this.connection.onbefore = (next, fresh) => this.#before(next, fresh);
    this.connection.onafter = (fresh, first) => this.#after(fresh, first);
    this.connection.onchat = (fresh) => this.#hear(fresh);
  }

  // What is known

  get current() {
    return this.connection.state;
  }
  get view() {
    return viewOf(this.current);
  }
  /** The seat at the near side of the table: one's own. */
  get near() {
    return this.me;
  }
  get house() {
    return this.current?.table.options.house;
  }
  get goal() {
    return this.house?.goal ?? this.data?.goal ?? 0;
  }
  get goalWords() {
    return m.table_goal({ goal_kind: this.data?.goal_kind ?? "", goal: this.goal });
  }
  get goalShort() {
    return goalShort(this.data?.goal_kind ?? "", this.goal);
  }
  get tokenLimit() {
    return this.house?.token_limit ?? this.data?.token_limit ?? Infinity;
  }
  get handLimit() {
    return this.house?.hand_limit ?? this.data?.hand_limit ?? 0;
  }
  get prices() {
    return this.current?.prices ?? {};
  }
  get canUndo() {
    return this.current?.can_undo ?? "no";
  }
  get clock() {
    return this.current?.clock ?? null;
  }
  get received() {
    return this.connection.received;
  }

  variant: Variant = $derived.by(() => (this.current ? variantOf(this.current.table) : ""));
  me = $derived.by(() => this.current?.seat ?? null);
  seats = $derived.by(() => named(this.current?.table.seats ?? []));
  mine = $derived.by(() => isMine(this.current));
  speaker: Speaker | null = $derived.by(
    () =>
      this.data && {
        data: this.data,
        name: (seat: number) => seatName(this.seats[seat]) || String(seat + 1),
      },
  );
  /** What the last turn touched, by the names of places. */
  last = $derived.by(() => (this.data && this.view ? touched(this.connection.entries, this.view, this.me) : new Set<string>()));

  #isAlone = $derived.by(() => this.seats.every((seat) => seat.seat === this.me || seat.kind === "bot"));
  /** Whether there is anybody to talk to, or something was said. */
  canChat = $derived.by(() => !this.#isAlone || this.me === null || (this.current?.table.watchers ?? 0) > 0 || this.connection.chat.length > 0);
  /** A running game whose reserves lie face down has none: every market there was shows which card somebody took from it. */
  hasReplay = $derived.by(() => this.current?.table.status !== "running" || this.current.table.options.house?.open_reserves !== false);
  canHint = $derived.by(() => this.mine && this.#isAlone && !this.current?.table.shared?.counts && (this.current?.choices?.legal.length ?? 0) > 0);
  /** A hint is for one position. */
  advice = $derived.by(() => (this.canHint && this.hint?.number === this.current?.number ? this.hint : null));

  isPlaying(): this is Playing {
    return this.current !== null && this.data !== null && this.view !== null;
  }

  /** The printed cards and tiles of the game on the table. */
  async load(variant: Variant) {
    this.data = await gameData(variant);
  }

  /** The choice follows the legal moves. */
  follow() {
    const choices = this.current?.choices;
    this.choice.update(choices?.legal ?? [], choices?.payments ?? {}, this.data?.letters ?? this.choice.letters, this.mine, this.excess());
  }

  close() {
    this.connection.close();
    this.#nextTable?.close();
  }

  // What comes from the server

  #before(next: StateOut, fresh: EntryOut[]) {
    // Another card lies there now: nobody should buy it by mistake.
    if (this.view && this.choice.selected && this.#chosenCard(this.view) !== this.#chosenCard(next.view)) this.choice.clear();
    if (this.data) this.stage.before(fresh, this.data);
  }

  #after(fresh: EntryOut[], first: boolean) {
    const next = this.current;
    if (!next) return;
    this.partner.look(next);
    this.#watchDeal(next, first);
    if (next.table.rematch && !this.#hasRematch && !first) this.#followTo(next.table.rematch, next);
    this.#hasRematch = next.table.rematch !== null;
    if (!first) void tick().then(() => this.stage.after());
    this.#announce(next, fresh, first, this.speaker);
    // Further states come after the end, as people leave or ask for a rematch: the end is shown once.
    if (next.outcome && !this.#isOver) this.stage.over(!first);
    this.#isOver = next.outcome !== null;
  }

  #watchDeal({ table }: StateOut, first: boolean) {
    if (first && (this.#begin || table.deal.phase !== "dealt")) this.#dealing = true;
    if (!this.#dealing || table.deal.phase !== "dealt") return;
    this.#dealing = false;
    if (this.partner.leftOut) this.tell(m.deal_left_out());
  }

  #followTo(id: string, { seat, table }: StateOut) {
    if (seat !== null && table.seats[seat].rematch) this.nextTable = id;
    else this.#takePartIn(id);
  }

  /** Who is still looking at the end of this game takes part in the deal of the next all the same. */
  #takePartIn(id: string) {
    const there = (this.#nextTable = new Connection(id));
    const partner = new DealPartner(there, true);
    there.onafter = () => {
      if (!there.state) return;
      partner.look(there.state);
      if (there.state.table.deal.phase === "dealt") there.close();
    };
  }

  /** The card behind what is selected. */
  #chosenCard(seen: ViewOut | null): number | null {
    const selected = this.choice.selected;
    if (!seen || !selected || selected.kind === "deck") return null;
    if (selected.kind === "card") return seen.market[Number(selected.slot[0]) - 1]["abcd".indexOf(selected.slot[1])];
    return seen.seat === null ? null : (seen.areas[seen.seat].reserve[selected.place - 1]?.card ?? null);
  }

  /** What others say is read out, to those who do not see it. */
  #hear(fresh: ChatLineOut[]) {
    for (const line of fresh.slice(-MAX_READ_OUT)) {
      const isOwn = line.seat !== null && line.seat === this.me;
      if (!isOwn && this.chat.isHeard(line)) live.say(`${line.name}: ${chatWords(line)}`);
    }
  }

  // Asking the server

  #tellRefusal(answer: Answer) {
    if (answer.ok || answer.code === LOST) return;
    this.tell(answer.rule ? ruleWords(answer.rule, this.theme) : refusalWords(answer));
  }

  ask = async (request: Request): Promise<boolean> => {
    this.note = "";
    const answer = await this.connection.request(request);
    this.#tellRefusal(answer);
    return answer.ok;
  };

  /** Say something. Why it could not be said is told where it was written. */
  say = async (request: Request, tell: (problem: string) => void): Promise<boolean> => {
    const answer = await this.connection.request(request);
    tell(answer.ok || answer.code === LOST ? "" : refusalWords(answer));
    return answer.ok;
  };

  /** Play moves one after the other, as long as none is refused. */
  async playAll(texts: readonly string[]) {
    if (!texts.length || this.busy || !this.current) return;
    this.busy = true;
    const timer = window.setTimeout(() => (this.sending = true), SLOW);
    let number = this.current.number;
    let done = true;
    for (const text of texts) done &&= await this.ask({ type: "move", number: (number += 1), text });
    clearTimeout(timer);
    this.busy = this.sending = false;
    if (!done) return;
    this.choice.clear();
    await tick();
    this.stage.played();
  }

  async whyNot(text: string) {
    this.#tellRefusal(await this.connection.request({ type: "why_not", text }));
  }

  /** Begin the game of a table that was opened for that, as soon as this browser's part in the deal is there. */
  beginIfReady() {
    if (!this.#begin || !this.partner.ready || this.current?.table.status !== "waiting") return;
    this.#begin = false;
    void this.ask({ type: "start" });
  }

  /** Agree to a rematch, or no longer; `without` those who are away. */
  rematch = async (agree: boolean, without = false) => {
    await this.ask({ type: "rematch", agree, without_away: without });
  };

  // What else can be done

  undo = () => void (this.current?.can_undo !== "no" && this.ask({ type: "undo" }));
  /** Take the own seat back from the bot that plays for it. */
  back = () => void this.ask({ type: "back" });

  // Hints

  askHint = async () => {
    if (!this.canHint || this.hinting) return;
    this.note = "";
    if (!this.advice) await this.#fetchHint();
    await tick();
    this.stage.hinted();
  };

  async #fetchHint() {
    this.hinting = true;
    const answer = await this.connection.request({ type: "hint" });
    this.hinting = false;
    if (answer.ok) this.hint = answer.hint ?? null;
    this.#tellRefusal(answer);
    if (!this.advice || !this.speaker || !this.view) return;
    live.say(adviceWords(this.advice, this.view, this.speaker));
    if (this.choice.empty) this.choice.choose(this.advice.moves[0].text);
  }

  isChosen = (text: string) =>
    [this.choice.take, this.choice.buy, this.choice.reserve, ...this.choice.returned.map((letter) => `return ${letter}`)].includes(text);

  /** Advice is shown on the table like any choice; a step that needs none is taken. */
  followAdvice = (text: string) => {
    this.note = "";
    if (this.isChosen(text)) return this.clear();
    if (this.choice.choose(text)) sounds.pick();
    else void this.play(text);
  };
}
