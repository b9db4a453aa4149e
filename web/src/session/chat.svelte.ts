// What is said at a table, as this browser shows it: in order, without those its reader has muted, and what is new.
import type { ChatLineOut } from "../api/messages";
import { keep, remembered } from "../ui/settings.svelte";
import type { Connection } from "./connection.svelte";
import { heard, type Heard } from "./said";

function read(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

const readList = (found: unknown) => (Array.isArray(found) ? found.filter((one) => typeof one === "string") : []);

const readSeen = (found: unknown): Heard => ({ ...heard([]), ...(found && typeof found === "object" ? found : {}) });

export class TableChat {
  /** Everybody is muted, at every table. */
  off = $state(remembered("chat") === "off");
  /** Who is muted at this table. */
  muted = $state.raw<readonly string[]>([]);
  /** The last line of each room that the reader has seen. */
  #seen = $state.raw<Heard>(heard([]));
  #key: string;

  constructor(readonly connection: Connection) {
    this.#key = `chat.${connection.id}`;
    this.muted = readList(read(remembered(`muted.${connection.id}`)));
    this.#seen = readSeen(read(remembered(this.#key)));
  }

  isHeard = ({ author }: ChatLineOut) => !this.off && !this.muted.includes(author);

  lines = $derived.by(() => this.connection.chat.filter(this.isHeard));
  /** Those muted here, by the names they wrote under. */
  silent = $derived.by(() => new Map(this.connection.chat.filter(({ author }) => this.muted.includes(author)).map((line) => [line.author, line.name])));

  /** How much was said since the reader last looked, by others than the seat `me`. */
  unread(me: number | null) {
    return this.lines.filter((line) => line.number > this.#seen[line.room] && (line.seat === null || line.seat !== me)).length;
  }

  /** The reader has seen everything. */
  look() {
    const last = heard(this.lines);
    if (last.table <= this.#seen.table && last.watch <= this.#seen.watch) return;
    this.#seen = last;
    keep(this.#key, JSON.stringify(last));
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
