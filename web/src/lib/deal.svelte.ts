// This browser's part in the deal of a table: it keeps the commitment it saw first, seals a nonce, and opens it when all seals are there.
import type { StateOut } from "../api/messages";
import type { Connection } from "./connection.svelte";
import { keep, remembered } from "./settings.svelte";

/** What this browser keeps about the deal of a table. */
export interface Kept {
  /** The commitment it saw first. */
  commitment: string;
  /** The nonces it sealed, by seat. There is never a second one: the server, which knows the first, could ask until it likes the deal. */
  nonces: Record<number, string>;
  /** The seals as they were when it opened its own, by seat. */
  seals: (string | null)[] | null;
}

/** Storage may be blocked: then this lasts as long as the page. */
const memory = new Map<string, Kept>();

export function recall(table: string): Kept | null {
  const known = memory.get(table);
  if (known) return known;
  try {
    const kept = JSON.parse(remembered(`deal.${table}`) ?? "null") as Kept | null;
    if (kept) memory.set(table, kept);
    return kept;
  } catch {
    return null;
  }
}

function store(table: string, kept: Kept) {
  memory.set(table, kept);
  keep(`deal.${table}`, JSON.stringify(kept));
}

function newNonce(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class DealPartner {
  /** The server shows another deal than it did at first. */
  exchanged = $state(false);
  /** The own nonce was sealed, and the deal was made without it. */
  leftOut = $state(false);
  /** The own seal is there, or cannot be made: nothing speaks against beginning. */
  ready = $state(false);
  #busy = false;
  #unsent: Record<number, string> = {};

  constructor(readonly connection: Connection) {}

  /** Look at a new state, and do what is to be done now. */
  look(next: StateOut) {
    const { id, commitment, deal } = next.table;
    const kept = recall(id) ?? { commitment, nonces: {}, seals: null };
    if (!recall(id)) store(id, kept);
    this.exchanged = kept.commitment !== commitment || this.#sealsChanged(kept, deal);
    if (deal.format !== 2 || next.seat === null || this.exchanged) {
      this.ready = true;
      return;
    }
    this.ready ||= deal.seals[next.seat] !== null;
    const own = kept.nonces[next.seat];
    this.leftOut = deal.phase === "dealt" && own !== undefined && deal.nonces[next.seat] !== own;
    if (!this.#busy) void this.#act(next, next.seat, kept);
  }

  #sealsChanged(kept: Kept, deal: StateOut["table"]["deal"]): boolean {
    return deal.phase === "dealt" && kept.seals !== null && JSON.stringify(kept.seals) !== JSON.stringify(deal.seals);
  }

  async #act({ table: { id, deal } }: StateOut, seat: number, kept: Kept) {
    const seals = (deal.phase === "waiting" || deal.phase === "sealing") && deal.seals[seat] === null;
    const opens = deal.phase === "opening" && deal.seals[seat] !== null && !deal.opened[seat];
    if (!seals && !opens) return;
    this.#busy = true;
    try {
      const { sealOf } = await import("./shuffle");
      const nonce = kept.nonces[seat] ?? (this.#unsent[seat] ??= newNonce());
      const seal = sealOf(id, seat, nonce);
      // Another device at this seat may have been faster: only what was accepted is kept.
      if (seals) {
        if ((await this.connection.request({ type: "seal", seal })).ok) store(id, { ...kept, nonces: { ...kept.nonces, [seat]: nonce } });
      } else if (seal === deal.seals[seat]) {
        store(id, { ...kept, nonces: { ...kept.nonces, [seat]: nonce }, seals: kept.seals ?? deal.seals });
        await this.connection.request({ type: "nonce", nonce });
      }
    } catch {
      this.ready = true; // the hashes could not be loaded: the deal does without this seat
    } finally {
      this.#busy = false;
    }
  }
}
