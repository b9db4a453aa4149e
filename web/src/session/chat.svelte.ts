// What is said at a table, as this browser shows it: in order, without those its reader has muted, and what is new.
import type { ChatLineOut } from "../api/messages";
import { keep, remembered } from "../ui/settings.svelte";
import type { Connection } from "./connection.svelte";

function readList(text: string | null): string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export class TableChat {
  /** Everybody is muted, at every table. */
  off = $state(remembered("chat") === "off");
  /** Who is muted at this table. */
  muted = $state.raw<readonly string[]>([]);
  /** When the last line was said that the reader has seen. */
  #seen = $state(0);
  #key: string;

  constructor(readonly connection: Connection) {
    this.#key = `chat.${connection.id}`;
    this.muted = readList(remembered(`muted.${connection.id}`));
    this.#seen = Number(remembered(this.#key)) || 0;
  }

  isHeard = ({ author }: ChatLineOut) => !this.off && !this.muted.includes(author);

  lines = $derived.by(() => this.connection.chat.filter(this.isHeard));
  /** Those muted here, by the names they wrote under. */
  silent = $derived.by(() => new Map(this.connection.chat.filter(({ author }) => this.muted.includes(author)).map((line) => [line.author, line.name])));

  /** How much was said since the reader last looked, by others than the seat `me`. */
  unread(me: number | null) {
    return this.lines.filter((line) => line.at > this.#seen && (line.seat === null || line.seat !== me)).length;
  }

  /** The reader has seen everything. */
  look() {
    const last = this.lines.at(-1)?.at ?? 0;
    if (last <= this.#seen) return;
    this.#seen = last;
    keep(this.#key, String(last));
  }

  mute(author: string, silent: boolean) {
    this.muted = silent ? [...new Set([...this.muted, author])] : this.muted.filter((one) => one !== author);
    keep(`muted.${this.connection.id}`, this.muted.length ? JSON.stringify(this.muted) : null);
  }

  muteAll(silent: boolean) {
    this.off = silent;
    keep("chat", silent ? "off" : null);
  }
}
