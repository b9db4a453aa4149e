// A table's socket: comes back by itself, asks for what it missed, and never sends a move twice in vain.
import { me, Refusal, socketAddress } from "../api/http";
import type { ChatLineOut, ClientMessage, EntryOut, HintOut, ServerMessage, StateOut } from "../api/messages";
import type { Refused } from "../announce/refusals";
import { heard, merged } from "./said";

type Unsent<T> = T extends { id: number } ? Omit<T, "id"> : never;
export type Request = Unsent<ClientMessage>;
export type Answer = { ok: true; number: number; hint?: HintOut } | ({ ok: false } & Refused);

interface Waiting {
  message: ClientMessage;
  settle: (answer: Answer) => void;
}

const FIRST_WAIT = 300;
/** Whoever looks at the page is not kept waiting; a page in the background has time. */
const LONGEST_WAIT = { visible: 3000, hidden: 8000 };
const CONNECT_WITHIN = 6000;
const PING_EVERY = 20_000;
const PONG_WITHIN = 8000;
/** When there is reason to think that the line is dead. */
const PONG_SOON = 2500;
/** The code of a socket that we have given up. */
const GIVEN_UP = 4000;
/** Sockets that are closed for good, and the refusals they stand for. */
const GONE = new Map([
  [4400, "too_many_messages"],
  [4403, "nobody_watches"],
  [4404, "no_table"],
  [4409, "opened_elsewhere"],
]);
const TOO_MANY_REQUESTS = 429;
/** For so long after a socket was opened, what comes was said before. */
const HISTORY_TIME = 1500;
/** The code of a request that was lost with its socket. The page says elsewhere that the line is down. */
export const LOST = "lost";
const LOST_REQUEST: Answer = { ok: false, code: LOST, facts: {}, rule: null };

export class Connection {
  state = $state.raw<StateOut | null>(null);
  entries = $state.raw<EntryOut[]>([]);
  /** What was said, in order. */
  chat = $state.raw<ChatLineOut[]>([]);
  status = $state<"connecting" | "open" | "lost" | "refused">("connecting");
  refusal = $state.raw<Refused | null>(null);
  /** When the last state came, for clocks. */
  received = $state(0);

  /** Called before a state is shown, while the old one is still on the screen. */
  onbefore: ((next: StateOut, fresh: EntryOut[]) => void) | null = null;
  /** Called after a state was taken over. */
  onafter: ((fresh: EntryOut[], first: boolean) => void) | null = null;
  /** Called with what was just said; what was said before this page came is not. */
  onchat: ((fresh: ChatLineOut[]) => void) | null = null;

  #socket: WebSocket | null = null;
  #waiting = new Map<number, Waiting>();
  #nextId = Math.floor(Math.random() * 1_000_000) * 1000;
  #attempts = 0;
  #retry = 0;
  #ping = 0;
  #pong = 0;
  #closed = false;
  /** The number of the attempt under way; what an older one brings is ignored. */
  #attempt = 0;
  #trying = false;
  #opened = 0;
  /** The server would not say who we are. */
  #anonymous = false;
  /** The network is another one, or gone: what goes on over the old one may hang. */
  #lineChanged = () => this.hurry(true);
  #looked = () => {
    if (document.visibilityState === "visible") this.hurry(false);
  };

  constructor(readonly id: string) {
    addEventListener("online", this.#lineChanged);
    addEventListener("offline", this.#lineChanged);
    document.addEventListener("visibilitychange", this.#looked);
    void this.#connect();
  }

  get number() {
    return this.entries.at(-1)?.number ?? 0;
  }

  /** Ask the server something. Moves survive a lost connection; other requests are told that it was lost. */
  request(request: Request): Promise<Answer> {
    const message = { ...request, id: this.#nextId++ } as ClientMessage & { id: number };
    return new Promise((settle) => {
      this.#waiting.set(message.id, { message, settle });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
      else if (this.#closed || message.type !== "move") this.#settle(message.id, LOST_REQUEST);
    });
  }

  /** Try now rather than later, and soon again. `anew`: also if an attempt is under way. A line that seems to be open is tested. */
  hurry(anew: boolean) {
    if (this.#closed || this.status === "refused") return;
    this.#attempts = 0;
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#sendPing(this.#socket, PONG_SOON);
    if (this.#trying && !anew) return;
    clearTimeout(this.#retry);
    void this.#connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#ping);
    clearTimeout(this.#pong);
    removeEventListener("online", this.#lineChanged);
    removeEventListener("offline", this.#lineChanged);
    document.removeEventListener("visibilitychange", this.#looked);
    this.#socket?.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, LOST_REQUEST);
  }

  async #connect() {
    const attempt = ++this.#attempt;
    this.#trying = true;
    this.#leave();
    try {
      await me();
      if (attempt === this.#attempt) this.#anonymous = false;
    } catch (wrong) {
      if (attempt !== this.#attempt) return;
      // Whoever has a seat gets in also when the address has asked too much: this browser may have its cookie from before.
      if (!(wrong instanceof Refusal && wrong.status === TOO_MANY_REQUESTS)) return this.#again();
      this.#anonymous = true;
    }
    if (this.#closed || attempt !== this.#attempt) return;
    const socket = new WebSocket(socketAddress(this.id, this.number, heard(this.chat)));
    this.#socket = socket;
    this.#pong = window.setTimeout(() => this.#giveUp(socket), CONNECT_WITHIN);
    socket.onopen = () => {
      clearTimeout(this.#pong);
      this.#trying = false;
      this.#attempts = 0;
      this.#opened = performance.now();
      this.status = "open";
      // A move that was not acknowledged goes out again with the same number: the server plays it once.
      for (const { message } of this.#waiting.values()) socket.send(JSON.stringify(message));
      this.#ping = window.setInterval(() => this.#sendPing(socket, PONG_WITHIN), PING_EVERY);
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data as string) as ServerMessage);
    socket.onclose = (event) => {
      if (this.#socket !== socket) return;
      clearInterval(this.#ping);
      clearTimeout(this.#pong);
      if (this.#closed) return;
      for (const [id, { message }] of [...this.#waiting])
        if (message.type !== "move") this.#settle(id, LOST_REQUEST);
      const code = GONE.get(event.code);
      if (code) {
        this.status = "refused";
        this.refusal = { code, facts: {}, rule: null };
        return;
      }
      this.#again();
    };
  }

  /** The line is gone: wait a little longer each time, then try again. */
  #again() {
    if (this.#closed) return;
    this.#trying = false;
    this.status = this.state || this.#attempts > 1 ? "lost" : "connecting";
    const longest = LONGEST_WAIT[document.visibilityState];
    const wait = Math.min(longest, FIRST_WAIT * 1.7 ** this.#attempts) * (0.75 + Math.random() / 2);
    this.#attempts += 1;
    clearTimeout(this.#retry);
    this.#retry = window.setTimeout(() => void this.#connect(), wait);
  }

  /** Leave a socket that another one takes the place of. */
  #leave() {
    clearInterval(this.#ping);
    clearTimeout(this.#pong);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  /** A dead line closes slowly: leave it and take a new one. */
  #giveUp(socket: WebSocket) {
    const closed = socket.onclose;
    socket.onclose = null;
    socket.close();
    closed?.call(socket, new CloseEvent("close", { code: GIVEN_UP }));
  }

  #sendPing(socket: WebSocket, pongWithin: number) {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "ping" }));
    clearTimeout(this.#pong);
    // Without a cookie nobody can sit down: once there is one, come back with it.
    if (this.#anonymous && this.state?.seat === null) void me().then(() => socket.close(), () => undefined);
    this.#pong = window.setTimeout(() => this.#giveUp(socket), pongWithin);
  }

  #receive(message: ServerMessage) {
    clearTimeout(this.#pong);
    if (message.type === "ack") this.#settle(message.id, { ok: true, number: message.number });
    else if (message.type === "hint") this.#settle(message.id, { ok: true, number: message.number, hint: message });
    else if (message.type === "refused") {
      if (message.id !== null) this.#settle(message.id, { ok: false, ...message });
    } else if (message.type === "chat") this.#hear(message.lines);
    else if (message.type === "state") this.#take(message);
  }

  #hear(lines: ChatLineOut[]) {
    this.chat = merged(this.chat, lines);
    if (performance.now() - this.#opened > HISTORY_TIME) this.onchat?.(lines);
  }

  #take(next: StateOut) {
    const known = this.number;
    const fresh = next.entries.filter((entry) => entry.number > known);
    const first = this.state === null;
    this.onbefore?.(next, first ? [] : fresh);
    this.entries = fresh.length ? [...this.entries, ...fresh] : this.entries;
    this.received = performance.now();
    this.state = next;
    this.onafter?.(fresh, first);
  }

  #settle(id: number, answer: Answer) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle(answer);
  }
}
