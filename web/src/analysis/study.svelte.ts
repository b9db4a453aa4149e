// A study: a tree of moves over positions that the server knows how to play on, and the half-made choice at the board.
import { tick } from "svelte";
import { live } from "../announce/live.svelte";
import { sounds } from "../announce/sounds";
import { goalShort, spoken, type Speaker } from "../announce/words";
import { gameData } from "../api/http";
import type { AnalysisOut, BoardOut, EntryOut, GameDataOut, GameLineOut, HintOut, PlayedOut, ProblemOut, SeatOut, StepIn, ViewOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { Choosing } from "../session/choosing.svelte";
import { touched } from "../session/touched";
import { keep, remembered } from "../ui/settings.svelte";
import { analyse, gameLine, MAX_STEPS, recordLine } from "./api";
import { problemWords } from "./problems";
import type { Branch, Shared } from "./tree";

let ids = 0;

/** A moment of the study: the move that led to it, and what was played from there. */
export class Moment {
  readonly id = (ids += 1);
  note = $state("");
  next = $state.raw<Moment[]>([]);
  board: BoardOut | null = null;

  constructor(
    readonly parent: Moment | null,
    readonly position: string,
    readonly text: string,
    readonly card: number | null,
    readonly entry: EntryOut | null,
  ) {}

  /** The moments from the first to this one. */
  get path(): Moment[] {
    return this.parent ? [...this.parent.path, this] : [this];
  }
  get depth(): number {
    return this.path.length - 1;
  }
}

/** A card is asked for: the one that a move turns up. */
export interface Question {
  text: string;
  tier: number;
  cards: number[];
  /** it may stay unseen */
  unseen: boolean;
}
/** What is said about a card: its number, that one is drawn, or that it stays unseen. */
export type Answer = number | "draw" | "unseen";

export class Study extends Choosing {
  root = $state.raw<Moment | null>(null);
  current = $state.raw<Moment | null>(null);
  board = $state.raw<BoardOut | null>(null);
  names = $state<string[]>([]);
  problem = $state.raw<ProblemOut | null>(null);
  question = $state.raw<Question | null>(null);
  /** whether one says which card is turned up, or lets it be drawn */
  asks = $state(remembered("analysis.cards") !== "draw");
  /** counts the changes, for whoever keeps the link up to date */
  changes = $state(0);
  onplayed: () => void = () => undefined;

  get view() {
    return this.board?.view ?? null;
  }
  /** Whoever is to decide: one plays for every seat. */
  get me() {
    return this.board?.view.turn ?? null;
  }
  get near() {
    return this.me;
  }
  get mine() {
    return this.view !== null && this.view.stage !== "over";
  }
  get prices() {
    return this.board?.prices ?? {};
  }
  get tokenLimit() {
    return this.board?.house.token_limit ?? Infinity;
  }
  get handLimit() {
    return this.board?.house.hand_limit ?? 0;
  }
  get goal() {
    return this.board?.house.goal ?? this.data?.goal ?? 0;
  }
  get goalWords() {
    return m.table_goal({ goal_kind: this.data?.goal_kind ?? "", goal: this.goal });
  }
  get goalShort() {
    return goalShort(this.data?.goal_kind ?? "", this.goal);
  }
  seats: SeatOut[] = $derived.by(() =>
    Array.from({ length: this.board?.players ?? 0 }, (_, seat) => ({
      seat,
      kind: "user" as const,
      name: this.names[seat] || m.analysis_player({ n: seat + 1 }),
      bot: null,
      connected: true,
      resigned: false,
      rematch: false,
    })),
  );
  speaker: Speaker | null = $derived.by(() => this.data && { data: this.data, name: (seat: number) => this.seats[seat]?.name ?? String(seat + 1) });
  last = $derived.by(() => {
    const entries = this.current?.path.flatMap((moment) => (moment.entry ? [moment.entry] : [])) ?? [];
    return this.view ? touched(entries, this.view, this.near) : new Set<string>();
  });

  // Opening

  /** Begin with a position; false if it cannot be. */
  async open(position: string, names: string[] = []): Promise<boolean> {
    return this.#begin(await analyse({ position }), names);
  }

  /** Begin with a board that the server has drawn. */
  async begin(board: BoardOut, names: string[] = []) {
    return this.#begin({ problem: null, played: [], board }, names);
  }

  async #begin({ problem, board }: AnalysisOut, names: string[]): Promise<boolean> {
    this.problem = problem;
    if (!board) return false;
    this.data = await gameData(board.variant);
    const root = new Moment(null, board.position, "", null, null);
    root.board = board;
    this.names = names;
    this.root = root;
    this.#show(root, board);
    return true;
  }

  /** Begin with a game that was played, at one of its moments. */
  async openGame(id: string, seat: number | null, at: number | null) {
    await this.#openLine(await gameLine(id, seat), at);
  }

  /** Begin with a record, at its end. */
  async openRecord(record: string) {
    await this.#openLine(await recordLine(record), null);
  }

  async #openLine(game: GameLineOut, at: number | null) {
    if (!(await this.open(game.position, game.names))) return;
    const end = await this.#add(this.root!, game.moves.map(({ text, card, note }) => ({ text, card: card ?? null, note: note ?? "", next: [] })));
    const path = end.path;
    await this.go(path[Math.max(0, Math.min(path.length - 1, at ?? path.length - 1))]);
  }

  /** Begin with a study that somebody shared. */
  async openShared({ position, names, note, next, at }: Shared) {
    if (!(await this.open(position, names))) return;
    const root = this.root!;
    root.note = note;
    await this.#addAll(root, next);
    let moment = root;
    for (const i of at) moment = moment.next[i] ?? moment;
    await this.go(moment);
  }

  async #addAll(from: Moment, branches: readonly Branch[]) {
    for (const branch of branches) {
      // As far as there is only one way it is played at once.
      const line = [branch];
      while (line.at(-1)!.next.length === 1) line.push(line.at(-1)!.next[0]);
      const end = await this.#add(from, line);
      if (end.depth - from.depth === line.length) await this.#addAll(end, line.at(-1)!.next);
    }
  }

  /** Play a line of moves from a moment, as far as it goes; the last moment. */
  async #add(from: Moment, line: readonly Branch[]): Promise<Moment> {
    let moment = from;
    for (let i = 0; i < line.length; i += MAX_STEPS) {
      const moves = line.slice(i, i + MAX_STEPS);
      const { played, problem } = await analyse({ position: moment.position, moves: moves.map(({ text, card }) => ({ text, card })) });
      played.forEach((one, j) => {
        moment = this.#follow(moment, one);
        moment.note = moves[j].note;
      });
      if (problem) {
        this.tell(problemWords(problem, this.data!));
        break;
      }
    }
    return moment;
  }

  /** The moment after a move: the one that is there already, or a new one. */
  #follow(from: Moment, { entry, card, position }: PlayedOut): Moment {
    const known = from.next.find((one) => one.text === entry.text && one.card === card && one.position === position);
    if (known) return known;
    const moment = new Moment(from, position, entry.text, card, entry);
    from.next = [...from.next, moment];
    this.changes += 1;
    return moment;
  }

  // Going about

  async go(moment: Moment, speak = false) {
    if (!moment.board) moment.board = (await analyse({ position: moment.position })).board;
    if (moment.board) this.#show(moment, moment.board);
    if (speak && moment.entry && this.speaker) live.say(spoken(moment.entry, this.speaker));
  }

  #show(moment: Moment, board: BoardOut) {
    this.current = moment;
    this.board = board;
    this.choice.clear();
    this.note = "";
    this.changes += 1;
    this.choice.update(board.choices.legal, board.choices.payments, this.data!.letters, true, this.excess());
  }

  previous = () => void (this.current?.parent && this.go(this.current.parent, true));
  forward = () => void (this.current?.next[0] && this.go(this.current.next[0], true));
  first = () => void (this.root && this.go(this.root, true));
  lastMoment = () => {
    let moment = this.current;
    while (moment?.next[0]) moment = moment.next[0];
    if (moment) void this.go(moment, true);
  };

  /** Take a moment out of the tree, with all that follows. */
  remove(moment: Moment) {
    const { parent } = moment;
    if (!parent) return;
    parent.next = parent.next.filter((one) => one !== moment);
    this.changes += 1;
    if (this.current?.path.includes(moment)) void this.go(parent);
  }

  /** Make a variation the main line. */
  promote(moment: Moment) {
    const { parent } = moment;
    if (!parent) return;
    parent.next = [moment, ...parent.next.filter((one) => one !== moment)];
    this.changes += 1;
  }

  write(moment: Moment, note: string) {
    moment.note = note;
    this.changes += 1;
  }

  shared(): Shared | null {
    const { root, current } = this;
    if (!root || !current) return null;
    const branch = (moment: Moment): Branch => ({ text: moment.text, card: moment.card, note: moment.note, next: moment.next.map(branch) });
    const at = current.path.slice(1).map((moment) => moment.parent!.next.indexOf(moment));
    return { position: root.position, names: [...this.names], note: root.note, next: root.next.map(branch), at };
  }

  // Playing

  setAsks(asks: boolean) {
    this.asks = asks;
    keep("analysis.cards", asks ? "ask" : "draw");
  }

  /** Play a move; if it turns up a card, that is asked for, or drawn. Several moves turn up none: tokens are returned. */
  async playAll(texts: readonly string[]): Promise<void> {
    const [text] = texts;
    if (!text || this.busy || !this.board || !this.current) return;
    if (texts.length > 1) return this.playLine([...texts]);
    const move = text.split(" with ")[0];
    const tier = this.board.reveals[move];
    if (tier === undefined || !this.asks) return void (await this.#play({ text, draw: true }));
    const cards = this.board.could_be[move] ?? this.board.unseen[tier - 1];
    this.question = { text, tier, cards, unseen: this.board.stays_unseen.includes(move) };
  }

  answer = (answer: Answer | null) => {
    const { question } = this;
    this.question = null;
    if (!question || answer === null) return;
    void this.#play({ text: question.text, card: typeof answer === "number" ? answer : null, draw: answer === "draw" });
  };

  async #play(step: StepIn): Promise<boolean> {
    const from = this.current!;
    this.busy = true;
    try {
      const { problem, played, board } = await analyse({ position: from.position, moves: [step] });
      if (problem) this.tell(problemWords(problem, this.data!));
      if (problem || !board) return false;
      const moment = this.#follow(from, played[0]);
      moment.board = board;
      sounds.pick();
      this.#show(moment, board);
      if (this.speaker) live.say(spoken(played[0].entry, this.speaker));
      await tick();
      this.onplayed();
      return true;
    } catch {
      this.tell(m.offline());
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Play moves one after the other, such as a line the engine expects; cards are drawn. */
  playLine = async (texts: readonly string[]) => {
    for (const text of texts) if (!(await this.#play({ text, draw: true }))) return;
  };

  async whyNot(text: string) {
    const { problem } = await analyse({ position: this.current!.position, moves: [{ text }] });
    if (problem) this.tell(problemWords(problem, this.data!));
  }

  // What only a table has

  undo = this.previous;
  readonly canHint = false;
  readonly hinting = false;
  hint: HintOut | null = null;
  askHint = () => Promise.resolve();
  back = () => undefined;
  get canUndo(): "free" | "no" {
    return this.current?.parent ? "free" : "no";
  }
  isOpen(): this is Open {
    return this.data !== null && this.board !== null;
  }
}

/** A study with a position on the board. */
export type Open = Study & { data: GameDataOut; board: BoardOut; view: ViewOut; speaker: Speaker; current: Moment; root: Moment };
