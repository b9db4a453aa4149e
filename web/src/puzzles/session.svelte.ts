// One puzzle as this browser has it: the position, the half-made choice, and the answer. It draws nothing.
import { failureWords, refusalWords } from "../announce/refusals";
import { ruleWords } from "../announce/rules";
import { goalShort, type Speaker } from "../announce/words";
import { gameData, Refusal } from "../api/http";
import type { GameDataOut, PuzzleAnswerOut, PuzzleOut, SeatOut, ViewOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { Choosing } from "../session/choosing.svelte";
import { answer as sendAnswer, puzzle as askPuzzle, whyNot } from "./api";

/** What the page does when an answer has come. */
export type Answered = (answer: PuzzleAnswerOut) => void;

/** A session with a puzzle on the table. */
export type Solving = PuzzleSession & { puzzle: PuzzleOut; view: ViewOut; data: GameDataOut; speaker: Speaker };

export class PuzzleSession extends Choosing {
  puzzle = $state.raw<PuzzleOut | null>(null);
  answer = $state.raw<PuzzleAnswerOut | null>(null);
  /** Why there is no puzzle. */
  problem = $state("");

  // At a table these are more.
  readonly canUndo = "no";
  readonly canHint = false;
  readonly hinting = false;
  hint = null;
  readonly askHint = async () => undefined;
  readonly undo = () => undefined;
  readonly back = () => undefined;

  constructor(
    readonly id: string,
    readonly answered: Answered,
  ) {
    super();
  }

  get view() {
    return this.puzzle?.view ?? null;
  }
  get me() {
    return this.view?.seat ?? null;
  }
  get near() {
    return this.me;
  }
  get mine() {
    return this.puzzle !== null && this.answer === null;
  }
  get prices() {
    return this.puzzle?.prices ?? {};
  }
  get tokenLimit() {
    return this.data?.token_limit ?? Infinity;
  }
  get handLimit() {
    return this.data?.hand_limit ?? 0;
  }
  get goalWords() {
    return m.table_goal({ goal_kind: this.data?.goal_kind ?? "", goal: this.data?.goal ?? 0 });
  }
  get goalShort() {
    return goalShort(this.data?.goal_kind ?? "", this.data?.goal ?? 0);
  }

  seats: SeatOut[] = $derived.by(() =>
    (this.view?.areas ?? []).map((_, seat) => ({
      seat,
      kind: "user",
      name: seat === this.me ? m.puzzle_you() : m.puzzle_player({ n: seat + 1 }),
      bot: null,
      connected: true,
      resigned: false,
      rematch: false,
    })),
  );
  speaker: Speaker | null = $derived.by(() => this.data && { data: this.data, name: (seat: number) => this.seats[seat].name });

  isSolving(): this is Solving {
    return this.puzzle !== null && this.data !== null;
  }

  async load() {
    try {
      const found = await askPuzzle(this.id);
      this.data = await gameData(found.variant);
      this.puzzle = found;
      const { legal, payments } = found.choices;
      this.choice.update(legal, payments, this.data.letters, true, this.excess());
    } catch (wrong) {
      this.problem = wrong instanceof Refusal ? refusalWords(wrong) : m.offline();
    }
  }

  async whyNot(text: string) {
    const { rule } = await whyNot(this.id, text);
    if (rule) this.tell(ruleWords(rule, this.theme));
  }

  async playAll([text]: readonly string[]) {
    if (!text || this.busy || !this.mine) return;
    this.busy = true;
    this.note = "";
    try {
      this.answer = await sendAnswer(this.id, text);
    } catch (wrong) {
      return this.tell(failureWords(wrong));
    } finally {
      this.busy = false;
    }
    this.#show(this.answer.best.text);
    this.answered(this.answer);
  }

  /** The best move, shown on the table as a choice; nothing more can be chosen. */
  #show(best: string) {
    this.choice.update([], {}, this.choice.letters, false);
    this.choice.choose(best);
  }

  isChosen = (text: string) =>
    [this.choice.take, this.choice.buy, this.choice.reserve, ...this.choice.returned.map((letter) => `return ${letter}`)].includes(text);

  /** A move from the list is shown on the table like any choice; one that needs none is played. */
  chooseListed = (text: string) => {
    this.note = "";
    if (this.isChosen(text)) return this.clear();
    if (!this.choice.choose(text)) void this.play(text);
  };
}
