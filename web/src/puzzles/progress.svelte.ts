// What this browser has solved, and which puzzles its reader likes. Nothing of it is sent to the server.
import type { PuzzleEntryOut } from "../api/messages";
import { keep, remembered } from "../ui/settings.svelte";

export type Theme = PuzzleEntryOut["themes"][number];

/** Which puzzles are asked for; nothing asks for any. */
export interface Wanted {
  variant: string;
  theme: Theme | "";
  difficulty: number;
}

interface Kept {
  solved: string[];
  failed: string[];
  streak: number;
  best: number;
  wanted: Wanted;
}

const NEW: Kept = { solved: [], failed: [], streak: 0, best: 0, wanted: { variant: "", theme: "", difficulty: 0 } };

function read(): Kept {
  try {
    return { ...NEW, ...(JSON.parse(remembered("puzzles") ?? "{}") as Partial<Kept>) };
  } catch {
    return NEW;
  }
}

export class Progress {
  #kept = $state.raw<Kept>(read());

  get streak() {
    return this.#kept.streak;
  }
  get best() {
    return this.#kept.best;
  }
  get wanted() {
    return this.#kept.wanted;
  }

  #change(change: Partial<Kept>) {
    this.#kept = { ...this.#kept, ...change };
    keep("puzzles", JSON.stringify(this.#kept));
  }

  choose(wanted: Partial<Wanted>) {
    this.#change({ wanted: { ...this.wanted, ...wanted } });
  }

  isSolved(id: string) {
    return this.#kept.solved.includes(id);
  }

  isSeen(id: string) {
    return this.isSolved(id) || this.#kept.failed.includes(id);
  }

  /** An answer was given. Only the first one to a puzzle counts for the streak. */
  answered(id: string, right: boolean) {
    if (this.isSolved(id)) return;
    const failed = this.#kept.failed.filter((one) => one !== id);
    const change: Partial<Kept> = right ? { failed, solved: [...this.#kept.solved, id] } : { failed: [...failed, id] };
    if (!this.isSeen(id)) {
      change.streak = right ? this.streak + 1 : 0;
      change.best = Math.max(this.best, change.streak);
    }
    this.#change(change);
  }

  /** Those that are asked for come again. */
  forget(puzzles: readonly PuzzleEntryOut[]) {
    const again = new Set(puzzles.filter((one) => this.wants(one)).map(({ id }) => id));
    const others = (ids: string[]) => ids.filter((id) => !again.has(id));
    this.#change({ solved: others(this.#kept.solved), failed: others(this.#kept.failed) });
  }

  wants({ variant, themes, difficulty }: PuzzleEntryOut) {
    const { wanted } = this;
    return (
      (!wanted.variant || wanted.variant === variant) &&
      (!wanted.theme || themes.includes(wanted.theme)) &&
      (!wanted.difficulty || wanted.difficulty === difficulty)
    );
  }

  /** The next puzzle that is asked for: one that was not seen, else one that was not solved; none if all are. */
  next(puzzles: readonly PuzzleEntryOut[], current = ""): string | null {
    const wanted = puzzles.filter((one) => one.id !== current && this.wants(one));
    const found = wanted.find(({ id }) => !this.isSeen(id)) ?? wanted.find(({ id }) => !this.isSolved(id));
    return found?.id ?? null;
  }
}

export const progress = new Progress();
