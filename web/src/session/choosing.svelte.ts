// Choosing a move at the table: what clicks and keys do until it is played. Who plays it, and where, is said by whoever extends this.
import { sounds } from "../announce/sounds";
import type { GameDataOut, ViewOut } from "../api/messages";
import { m } from "../paraglide/messages";
import { Choice, inOrder, type Excess, type Selected } from "./choice.svelte";

/** How long a refusal stays on the screen, in milliseconds. */
const NOTE_TIME = 6000;

export abstract class Choosing {
  readonly choice = new Choice();

  data = $state.raw<GameDataOut | null>(null);
  /** A sentence for the player: mostly why something cannot be done. */
  note = $state("");
  /** A move is on its way. */
  busy = $state(false);
  /** It has been on its way for so long that somebody may wonder. */
  sending = $state(false);

  #noteTimer = 0;

  abstract readonly view: ViewOut | null;
  /** the seat that chooses */
  abstract readonly me: number | null;
  /** whether it is to decide */
  abstract readonly mine: boolean;
  abstract readonly tokenLimit: number;

  /** Play moves one after the other. */
  abstract playAll(texts: readonly string[]): Promise<void>;
  /** Tell the rule that forbids a move. */
  abstract whyNot(text: string): Promise<void>;

  get theme() {
    return this.data?.theme ?? "";
  }

  /** What the seat has too much of, when tokens must be returned. */
  excess(): Excess | undefined {
    const held = this.view && this.me !== null && this.view.stage === "return" ? this.view.areas[this.me].tokens : null;
    return held ? { tokens: sum(held) - this.tokenLimit, held } : undefined;
  }

  tell(text: string) {
    this.note = text;
    clearTimeout(this.#noteTimer);
    this.#noteTimer = window.setTimeout(() => (this.note = ""), NOTE_TIME);
  }

  play = (text: string | null) => this.playAll(text ? [text] : []);

  pick = (letter: string) => {
    if (!this.view || this.me === null) return;
    this.note = "";
    if (this.choice.pick(letter)) return sounds.pick();
    const { picked } = this.choice;
    if (picked.includes(letter)) {
      this.choice.putBackAll(letter);
      sounds.putBack();
      // Somebody with one token may have wanted two.
      if (picked.length === 1) void this.whyNot(`take ${letter}${letter}`);
      return;
    }
    if (!this.mine) return this.tell(m.refused_not_your_turn());
    if (letter === "*") return this.tell(m.rule_wild_take({ theme: this.theme }));
    if (letter === "t") return this.tell(m.rule_time_take());
    const wanted = [...this.choice.picked, letter];
    const different = new Set(wanted).size;
    if (wanted.length > 3 || (different < wanted.length && wanted.length > 2)) return this.tell(m.rule_enough());
    void this.whyNot(`take ${inOrder(wanted, this.choice.letters)}`);
  };

  select = (selected: Selected) => {
    if (this.me === null) return;
    this.note = "";
    const same = JSON.stringify(selected) === JSON.stringify(this.choice.selected);
    this.choice.select(same ? null : selected);
    if (same) return sounds.putBack();
    sounds.pick();
    if (!this.mine) return;
    if (selected.kind === "deck" && !this.choice.reserve) void this.whyNot(`reserve ${selected.tier}?`);
    else if (selected.kind === "reserve" && !this.choice.buy) void this.whyNot(`buy @${selected.place}`);
    else if (selected.kind === "card" && !this.choice.buy && !this.choice.reserve) void this.whyNot(`reserve ${selected.slot}`);
  };

  clear = () => {
    if (!this.choice.empty) sounds.putBack();
    this.note = "";
    this.choice.clear();
  };

  /** The token that was chosen last goes back, or the whole choice if there is none. */
  putBack() {
    const { picked, returned } = this.choice;
    if (!picked.length && !returned.length) return this.clear();
    if (picked.length) this.choice.putBack(picked.length - 1);
    else returned.pop();
    sounds.putBack();
  }

  /** The next way to pay. */
  nextPayment() {
    const { ways, payment } = this.choice;
    if (ways.length > 1) this.choice.payment = ways[(ways.indexOf(payment ?? ways[0]) + 1) % ways.length];
  }

  take = () => this.play(this.choice.take);
  buy = () => {
    const { buy, ways, way } = this.choice;
    return this.play(ways.length > 1 ? way : buy);
  };
  reserve = () => this.play(this.choice.reserve);
  /** Choose a token to give back; it goes when all are chosen and confirmed. */
  giveBack = (letter: string) => void (this.choice.giveBack(letter) && sounds.pick());
  returnAll = () => this.playAll(this.choice.returns ?? []);
  claim = (place: number) => void (this.choice.canClaim(place) && this.play(`claim ${place}`));
  pass = () => void (this.choice.legal.includes("pass") && this.play("pass"));
}

const sum = (counts: readonly number[]) => counts.reduce((all, n) => all + n, 0);
