// This browser's part in the deal of a table: it keeps the commitment it saw first, seals a nonce, and opens it when all seals are there.
import type { StateOut } from "../api/messages";
import { LOST, type Connection } from "./connection.svelte";
import { keep, remembered } from "../ui/settings.svelte";

/** What this browser keeps about the deal of a table. */
export interface Kept {
  /** The commitment it saw first. */
  commitment: string;
  /** The nonces it drew, by seat. There is never a second one: the server, which knows the first, could ask until it likes the deal. */
  nonces: Record<number, string>;
  /** The seals as they were when it opened its own, by seat. */
  seals: (string | null)[] | null;
  /** The seat it had at the deal: its nonce must be there. null: none; undefined: not kept, by an older version. */
  seat?: number | null;
}

/** Only what could not be stored (storage may be blocked or full): the other tabs of this browser read what is stored. */
const memory = new Map<string, Kept>();

export function recall(table: string): Kept | null {
  try {
    return memory.get(table) ?? (JSON.parse(remembered(`deal.${table}`) ?? "null") as Kept | null);
  } catch {
    return null;
  }
}

function store(table: string, kept: Kept) {
  const text = JSON.stringify(kept);
  keep(`deal.${table}`, text);
  if (remembered(`deal.${table}`) === text) memory.delete(table);
  else memory.set(table, kept);
}

function newNonce(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

type SealOf = (table: string, seat: number, nonce: string) => string;

export class DealPartner {
  /** The server shows another deal than it did at first. */
  exchanged = $state(false);
  /** This browser had its seat before the deal, and the deal was made without its nonce. */
  leftOut = $state(false);
  /** The own seal was answered, or cannot be made: nothing speaks against beginning. */
  ready = $state(false);
  #busy = false;
  /** The last state that came while a request was under way. */
  #later: StateOut | null = null;
  /** What this page drew, by seat: another tab may have stored another nonce in the same moment. */
  #drawn: Record<number, string> = {};

  /** `fromStart`: this browser was here when the table was opened, so that its seat counts even if the first state is dealt. */
  constructor(
    readonly connection: Connection,
    readonly fromStart = false,
  ) {}

  /** Look at a new state, and do what is to be done now. */
  look(next: StateOut) {
    const { id, commitment, deal } = next.table;
    const known = recall(id);
    const kept: Kept = { ...(known ?? { commitment, nonces: {}, seals: null }), seat: this.#seatAtDeal(next, known) };
    if (known === null || known.seat !== kept.seat) store(id, kept);
    this.exchanged = kept.commitment !== commitment || this.#sealsChanged(kept, deal);
    if (deal.format !== 2 || next.seat === null || this.exchanged) {
      this.ready = true;
      return;
    }
    this.ready ||= deal.seals[next.seat] !== null;
    this.leftOut = deal.phase === "dealt" && kept.seat === next.seat && !this.#own(kept, next.seat).includes(deal.nonces[next.seat] ?? "");
    if (this.#busy) this.#later = next;
    else void this.#act(next, next.seat);
  }

  /** The seat whose nonce is to be in the deal. A seat that was taken later had none to give. */
  #seatAtDeal({ seat, table: { deal } }: StateOut, known: Kept | null): number | null | undefined {
    if (deal.phase !== "dealt" || (known === null && this.fromStart)) return seat;
    if (known === null) return null;
    return known.seat ?? (seat !== null && known.nonces[seat] !== undefined ? seat : known.seat);
  }

  #own(kept: Kept, seat: number): string[] {
    return [kept.nonces[seat], this.#drawn[seat]].filter((nonce) => nonce !== undefined);
  }

  #sealsChanged(kept: Kept, deal: StateOut["table"]["deal"]): boolean {
    return deal.phase === "dealt" && kept.seals !== null && JSON.stringify(kept.seals) !== JSON.stringify(deal.seals);
  }

  async #act({ table: { id, deal } }: StateOut, seat: number) {
    const seals = (deal.phase === "waiting" || deal.phase === "sealing") && deal.seals[seat] === null;
    const opens = deal.phase === "opening" && deal.seals[seat] !== null && !deal.opened[seat];
    if (!seals && !opens) return;
    this.#busy = true;
    try {
      const { sealOf } = await import("./shuffle");
      const kept = recall(id);
      if (!kept) return; // the storage was emptied just now
      if (seals) await this.#seal(id, seat, kept, sealOf);
      else await this.#open(id, seat, kept, deal.seals, sealOf);
    } catch {
      this.ready = true; // the hashes could not be loaded: the deal does without this seat
    } finally {
      this.#busy = false;
      const later = this.#later;
      this.#later = null;
      if (later) this.look(later);
    }
  }

  async #seal(id: string, seat: number, kept: Kept, sealOf: SealOf) {
    const [nonce = newNonce()] = this.#own(kept, seat);
    this.#drawn[seat] = nonce;
    // Stored before it is sent: the page may go before the answer comes, and a server that refuses every seal must not pass for fair.
    store(id, { ...kept, nonces: { ...kept.nonces, [seat]: nonce } });
    const answer = await this.connection.request({ type: "seal", seal: sealOf(id, seat, nonce) });
    if (answer.ok || answer.code !== LOST) this.ready = true; // a lost connection comes back, with a state to look at
  }

  async #open(id: string, seat: number, kept: Kept, seals: (string | null)[], sealOf: SealOf) {
    // Another device at this seat may have been faster: then there is nothing to open.
    const nonce = this.#own(kept, seat).find((own) => sealOf(id, seat, own) === seals[seat]);
    if (nonce === undefined) return;
    store(id, { ...kept, nonces: { ...kept.nonces, [seat]: nonce }, seals: kept.seals ?? seals });
    await this.connection.request({ type: "nonce", nonce });
  }
}
