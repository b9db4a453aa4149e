// Motion says what happened: copies of tokens, cards and tiles fly from where they were to where they are.
import type { EntryOut, GameDataOut } from "../api/messages";

const TIME = 250;
const STAGGER = 45;
const MOST_ENTRIES = 3;

interface Flight {
  copy: Element;
  from: DOMRect;
  to: string[];
}

const find = (keys: string[]) => {
  for (const key of keys)
    for (const place of document.querySelectorAll(`[data-at="${CSS.escape(key)}"]`))
      if (place.getClientRects().length) return place;
  return null;
};

const picture = (place: Element | null) => place?.querySelector("svg") ?? null;

export class Flights {
  #flights: Flight[] = [];
  #running = new Set<Animation>();

  /** While the old table is still on the screen: take copies of what will move. */
  prepare(entries: readonly EntryOut[], letters: string, data: GameDataOut) {
    this.finish();
    this.#flights = [];
    const moves = entries.filter((entry) => entry.kind === "move");
    if (moves.length > MOST_ENTRIES) return;
    for (const entry of moves) this.#plan(entry, letters, data);
  }

  #add(from: string[], to: string[]) {
    const source = picture(find(from));
    if (!source) return;
    const rect = source.getBoundingClientRect();
    if (rect.width) this.#flights.push({ copy: source.cloneNode(true) as Element, from: rect, to });
  }

  #plan(entry: EntryOut, letters: string, data: GameDataOut) {
    const [verb, what = ""] = entry.text.split(" ");
    const seat = `seat-${entry.seat}`;
    const each = (run: (letter: string) => void) =>
      entry.gems.forEach((n, lane) => Array.from({ length: Math.min(n, 4) }, () => run(letters[lane])));
    if (verb === "take" || verb === "reserve") each((letter) => this.#add([`bank-${letter}`], [`${seat}-${letter}`, seat]));
    else each((letter) => this.#add([`${seat}-${letter}`, seat], [`bank-${letter}`]));
    if (verb === "buy" || verb === "reserve") {
      const card = data.cards.find((one) => one.number === entry.card);
      const from = what[0] === "@" ? `${seat}-reserve-${what[1]}` : what[1] === "?" ? `deck-${what[0]}` : `slot-${what}`;
      const to = verb === "buy" && card ? `${seat}-${card.bonus}` : `${seat}-reserve`;
      this.#add([from], [to, seat]);
    }
    if (entry.tile) this.#add([`tile-number-${entry.tile}`], [`${seat}-name`, seat]);
    if (entry.avengers) this.#add(["avengers"], [`${seat}-name`, seat]);
  }

  /** The new table is there: let the copies fly to it. */
  start() {
    const layer = document.getElementById("flights");
    if (!layer) return;
    this.#flights.forEach(({ copy, from, to }, i) => {
      const target = find(to)?.getBoundingClientRect();
      if (!target?.width) return;
      const box = document.createElement("div");
      box.className = "flight";
      box.style.left = `${from.left}px`;
      box.style.top = `${from.top}px`;
      box.style.width = `${from.width}px`;
      box.style.height = `${from.height}px`;
      box.append(copy);
      layer.append(box);
      const x = target.left + target.width / 2 - from.left - from.width / 2;
      const y = target.top + target.height / 2 - from.top - from.height / 2;
      const scale = Math.max(0.25, Math.min(1, Math.max(target.width, 24) / from.width));
      const animation = box.animate(
        [
          { transform: "none", opacity: 1 },
          { transform: `translate(${x}px, ${y}px) scale(${scale})`, opacity: 1, offset: 0.85 },
          { transform: `translate(${x}px, ${y}px) scale(${scale})`, opacity: 0 },
        ],
        { duration: TIME * 1.4, delay: Math.min(i, 6) * STAGGER, easing: "cubic-bezier(.3,.1,.2,1)", fill: "backwards" },
      );
      this.#running.add(animation);
      const done = () => {
        this.#running.delete(animation);
        box.remove();
      };
      animation.onfinish = done;
      animation.oncancel = done;
    });
    this.#flights = [];
  }

  finish() {
    for (const animation of this.#running) animation.cancel();
    this.#running.clear();
  }
}
