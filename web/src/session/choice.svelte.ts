// The half-made choice: what is picked and not yet confirmed. It knows no rules, only the list of legal moves.

export type Selected = { kind: "card"; slot: string } | { kind: "deck"; tier: number } | { kind: "reserve"; place: number };

/** Letters in the order of the variant's colours, so that texts can be compared. */
export function inOrder(letters: readonly string[], all: string): string {
  return [...letters].sort((a, b) => all.indexOf(a) - all.indexOf(b)).join("");
}

function without(letters: string, taken: readonly string[]): string | null {
  let rest = letters;
  for (const letter of taken) {
    if (!rest.includes(letter)) return null;
    rest = rest.replace(letter, "");
  }
  return rest;
}

/** What a move calls `1a`, `2?` or `@3`. */
function named(place: string): Selected {
  if (place[0] === "@") return { kind: "reserve", place: Number(place[1]) };
  return place[1] === "?" ? { kind: "deck", tier: Number(place[0]) } : { kind: "card", slot: place };
}

/** The tokens that a way to pay hands over, by letter: `buy 1a with uu*`; nothing if it costs nothing. */
export function paidBy(way: string, letters: string): number[] {
  const gems = way.split(" with ")[1] ?? "";
  return [...letters].map((letter) => [...gems].filter((one) => one === letter).length);
}

/** What the seat to decide has too much of: how many tokens go back, and how many of each it holds, by letter. */
export interface Excess {
  tokens: number;
  held: readonly number[];
}
const NO_EXCESS: Excess = { tokens: 0, held: [] };

export class Choice {
  picked = $state<string[]>([]);
  /** tokens chosen to go back, when there are too many */
  returned = $state<string[]>([]);
  selected = $state.raw<Selected | null>(null);
  payment = $state<string | null>(null);
  legal = $state.raw<readonly string[]>([]);
  payments = $state.raw<Record<string, string[]>>({});
  excess = $state.raw<Excess>(NO_EXCESS);
  letters = $state("wugrk*");

  #takes = $derived(this.legal.filter((move) => move.startsWith("take ")).map((move) => move.slice(5)));

  /** The taking that is picked, if it is legal as it stands. */
  take = $derived.by(() => {
    const text = inOrder(this.picked, this.letters);
    return this.picked.length && this.#takes.some((take) => inOrder([...take], this.letters) === text)
      ? `take ${text}`
      : null;
  });

  /** How many tokens the longest taking with these picks has. */
  wanted = $derived(
    Math.max(0, ...this.#takes.filter((take) => without(take, this.picked) !== null).map((take) => take.length)),
  );

  buy = $derived.by(() => {
    const at = this.#place();
    return at && this.legal.includes(`buy ${at}`) ? `buy ${at}` : null;
  });

  reserve = $derived.by(() => {
    const selected = this.selected;
    const text =
      selected?.kind === "card" ? `reserve ${selected.slot}` : selected?.kind === "deck" ? `reserve ${selected.tier}?` : "";
    return this.legal.includes(text) ? text : null;
  });

  /** The ways to pay for what is selected, if wild tokens come into it; the first is what is paid if nothing is said. */
  ways = $derived(this.buy ? (this.payments[this.buy] ?? []) : []);

  /** The way that is chosen. */
  way = $derived(this.payment ?? this.ways[0] ?? null);

  /** What will be handed over for what is selected, by letter, if that is not simply its price. */
  paid = $derived(this.way === null ? null : paidBy(this.way, this.letters));

  /** The returns that are chosen, when they are all that must go back. */
  returns = $derived(
    this.returned.length && this.returned.length === this.excess.tokens ? this.returned.map((letter) => `return ${letter}`) : null,
  );

  #place(): string | null {
    if (this.selected?.kind === "card") return this.selected.slot;
    if (this.selected?.kind === "reserve") return `@${this.selected.place}`;
    return null;
  }

  /** May this token be picked as well? */
  canPick(letter: string): boolean {
    return this.#takes.some((take) => without(take, [...this.picked, letter]) !== null);
  }

  canReturn(letter: string): boolean {
    return this.legal.includes(`return ${letter}`);
  }

  /** How many tokens of a letter are chosen to go back. */
  returning(letter: string): number {
    return this.returned.filter((one) => one === letter).length;
  }

  canClaim(place: number): boolean {
    return this.legal.includes(`claim ${place}`);
  }

  pick(letter: string): boolean {
    if (!this.canPick(letter)) return false;
    this.selected = null;
    this.picked.push(letter);
    return true;
  }

  putBack(index: number) {
    this.picked.splice(index, 1);
  }

  /** All picked tokens of a letter go back to their pile. */
  putBackAll(letter: string) {
    this.picked = this.picked.filter((one) => one !== letter);
  }

  /** Choose a token to go back. With none left to choose it stays after all; when enough are chosen, the first makes room. */
  giveBack(letter: string): boolean {
    if (!this.canReturn(letter)) return false;
    const chosen = this.returning(letter);
    const all = chosen === this.excess.held[this.letters.indexOf(letter)];
    if (all || chosen === this.excess.tokens) this.returned = this.returned.filter((one) => one !== letter);
    else this.returned = [...this.returned, letter].slice(-this.excess.tokens);
    return true;
  }

  select(selected: Selected | null) {
    this.picked = [];
    this.returned = [];
    this.payment = null;
    this.selected = selected;
  }

  /** Choose what a move says, as clicks would; false if there is nothing to choose before it is played. */
  choose(move: string): boolean {
    const [verb, what = ""] = move.split(" ");
    if (verb === "take") {
      this.clear();
      this.picked = [...what];
    } else if (verb === "buy" || verb === "reserve") this.select(named(what));
    else if (verb === "return") return this.giveBack(what);
    else return false;
    return true;
  }

  clear() {
    this.select(null);
  }

  get empty() {
    return this.picked.length === 0 && this.returned.length === 0 && this.selected === null;
  }

  /** New legal moves: a choice that is still possible stays. */
  update(legal: readonly string[], payments: Record<string, string[]>, letters: string, mine: boolean, excess = NO_EXCESS) {
    this.legal = legal;
    this.payments = payments;
    this.letters = letters;
    this.excess = excess;
    if (!this.returned.every((letter) => this.canReturn(letter))) this.returned = [];
    if (!mine) {
      // Looking at a card while others play is fine; picked tokens wait for nobody.
      this.picked = [];
      return;
    }
    if (this.picked.length && !this.#takes.some((take) => without(take, this.picked) !== null)) this.picked = [];
    if (this.payment && !this.ways.includes(this.payment)) this.payment = null;
  }
}
