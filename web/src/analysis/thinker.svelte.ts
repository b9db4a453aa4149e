// What the engine thinks of the position one looks at, over a socket. It is asked anew for each position, and stops when the page goes.
import type { FoundOut, NotFoundOut } from "../api/messages";
import { socketAddress } from "./api";

/** How long until a lost connection is tried again, in milliseconds. */
const AGAIN = 2000;
const MAX_KEPT = 300;
/** What is refused now may be possible in a moment. */
const WAITS = new Set(["starting", "too_many_studies", "too_many_own_studies"]);

export class Thinker {
  found = $state.raw<FoundOut | null>(null);
  refused = $state.raw<NotFoundOut | null>(null);
  lost = $state(false);
  #socket: WebSocket | null = null;
  #number = 0;
  #position: string | null = null;
  #timer = 0;
  #closed = false;
  /** What was found before, by position: whoever goes back to it sees it at once. */
  #kept = new Map<string, FoundOut>();

  /** Think about this position from now on; none: about nothing. */
  think(position: string | null) {
    if (position === this.#position) return;
    this.#position = position;
    this.found = position === null ? null : (this.#kept.get(position) ?? null);
    this.refused = null;
    clearTimeout(this.#timer);
    this.#ask();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #ask() {
    const isDone = this.#position === null || this.found?.done;
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify(isDone ? { kind: "stop" } : { kind: "think", id: (this.#number += 1), position: this.#position }));
    } else if (!isDone && !this.#socket) this.#connect();
  }

  #connect() {
    if (this.#closed) return;
    const socket = (this.#socket = new WebSocket(socketAddress()));
    socket.onopen = () => {
      this.lost = false;
      this.#ask();
    };
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(String(data)) as FoundOut | NotFoundOut);
    socket.onclose = () => {
      this.#socket = null;
      if (this.#closed) return;
      this.lost = true;
      this.#timer = window.setTimeout(() => this.#ask(), AGAIN);
    };
  }

  #hear(message: FoundOut | NotFoundOut) {
    if (message.id !== this.#number || this.#position === null) return;
    this.refused = message.kind === "not_found" ? message : null;
    if (message.kind === "not_found") {
      if (WAITS.has(message.code ?? "")) this.#timer = window.setTimeout(() => this.#ask(), AGAIN);
      return;
    }
    // What was found before may have been deeper.
    if (this.found && this.found.nodes > message.nodes && !message.done) return;
    this.found = message;
    this.#kept.delete(this.#position);
    this.#kept.set(this.#position, message);
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
  }
}
