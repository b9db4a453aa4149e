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

const wilds = (payment: string) => payment.split("*").length;

export class Choice {
  picked = $state<string[]>([]);
  selected = $state.raw<Selected | null>(null);
  payment = $state<string | null>(null);
  legal = $state.raw<readonly string[]>([]);
  payments = $state.raw<Record<string, string[]>>({});
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

  /** The ways to pay for what is selected, when there are several; those that keep the wild tokens come first. */
  ways = $derived(this.buy ? [...(this.payments[this.buy] ?? [])].sort((a, b) => wilds(a) - wilds(b)) : []);

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

  select(selected: Selected | null) {
    this.picked = [];
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
    else return false;
    return true;
  }

  clear() {
    this.select(null);
  }

  get empty() {
    return this.picked.length === 0 && this.selected === null;
  }

  /** New legal moves: a choice that is still possible stays. */
  update(legal: readonly string[], payments: Record<string, string[]>, letters: string, mine: boolean) {
    this.legal = legal;
    this.payments = payments;
    this.letters = letters;
    if (!mine) {
      // Looking at a card while others play is fine; picked tokens wait for nobody.
      this.picked = [];
      return;
    }
    if (this.picked.length && !this.#takes.some((take) => without(take, this.picked) !== null)) this.picked = [];
    if (this.payment && !this.ways.includes(this.payment)) this.payment = null;
  }
}
