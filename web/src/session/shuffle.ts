// The deal of a table, computed anew: docs/protocol.md specifies it, src/cabochon/server/shuffle.py and fairness.py are its twins.
// The hashes come from a library because a browser has none of its own on a plain http page. Loaded when it is needed.
import { sha256 } from "@noble/hashes/sha2.js";
import { shake256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Reveal, Reveal1, Reveal2, Reveal3, Variant } from "../api/http";
import type { GameDataOut, SeatOut } from "../api/messages";
import type { Kept } from "./deal.svelte";

const FIRST_BYTES = 256;
const TIERS = [1, 2, 3];
/** `tiles_dealt` begins with this many players. */
const MIN_PLAYERS = 2;

/** What of a game's data the deal depends on. */
export type Printed = Pick<GameDataOut, "cards" | "tiles" | "tile_faces" | "tiles_dealt">;

export interface Order {
  decks: number[][];
  tiles: number[];
  start: number;
}

const hash = (...lines: string[]) => sha256(utf8ToBytes(lines.map((line) => `${line}\n`).join("")));
const hex = (...lines: string[]) => bytesToHex(hash(...lines));

export const sealOf = (table: string, seat: number, nonce: string) => hex("cabochon seal 2", `table: ${table}`, `seat: ${seat}`, `nonce: ${nonce}`);

const commitment1 = (deal: Reveal1) =>
  hex("cabochon deal 1", `variant: ${deal.variant}`, `players: ${deal.players}`, `start: ${deal.start}`, `seed: ${deal.seed}`, `salt: ${deal.salt}`);

export const commitment2 = (table: string, variant: Variant, players: number, startRule: string, secret: string) =>
  hex("cabochon deal 2", `table: ${table}`, `variant: ${variant}`, `players: ${players}`, `start: ${startRule}`, `secret: ${secret}`);

export const keyOf = (table: string, secret: string, nonces: (string | null)[]) =>
  hash("cabochon key 2", `table: ${table}`, `secret: ${secret}`, ...nonces.flatMap((nonce, seat) => (nonce ? [`nonce ${seat}: ${nonce}`] : [])));

const commitment3 = (reveal: Reveal3) =>
  hex("cabochon deal 3", `deal: ${reveal.deal}`, `variant: ${reveal.variant}`, `players: ${reveal.players}`, `start: ${reveal.start_rule}`, `secret: ${reveal.secret}`);

const keyOfShared = (reveal: Reveal3) => hash("cabochon key 3", `deal: ${reveal.deal}`, `secret: ${reveal.secret}`);

/** The secret of a deal of the day follows from its date and the game: anything else was chosen by somebody. */
const followsFromDate = (reveal: Reveal3) =>
  !reveal.deal.startsWith("day ") || reveal.secret === hex("cabochon day 3", `deal: ${reveal.deal}`, `variant: ${reveal.variant}`);

/** The bytes of SHAKE-256 of the key, without end: a longer digest begins with the shorter one. */
function* stream(key: Uint8Array): Generator<number, never> {
  for (let at = 0, size = FIRST_BYTES; ; at = size, size *= 2) yield* shake256(key, { dkLen: size }).subarray(at);
}

/** A number from 0 to n - 1, all equally likely: bytes from the last, incomplete run of n values are skipped. */
function below(numbers: Generator<number, never>, n: number): number {
  const limit = 256 - (256 % n);
  for (;;) {
    const number = numbers.next().value;
    if (number < limit) return number % n;
  }
}

function shuffled(numbers: Generator<number, never>, cards: number[]): number[] {
  const order = [...cards];
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(numbers, i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** The deal that follows from a key; the start seat is drawn last, unless it is given. */
export function orderOf(key: Uint8Array, printed: Printed, players: number, start: number | null): Order {
  const numbers = stream(key);
  const decks = TIERS.map((tier) => shuffled(numbers, printed.cards.filter((card) => card.tier === tier).map((card) => card.number)));
  // Pieces are drawn, then a face of each: faces of one piece have consecutive numbers.
  const faces = printed.tile_faces;
  const left = Array.from({ length: printed.tiles.length / faces }, (_, i) => i);
  const tiles = Array.from({ length: printed.tiles_dealt[players - MIN_PLAYERS] }, () => {
    const [tile] = left.splice(below(numbers, left.length), 1);
    return faces * tile + below(numbers, faces) + 1;
  });
  return { decks, tiles, start: start ?? below(numbers, players) };
}

/** The deal a record tells; the few lines of its head that are needed. */
export function orderIn(record: string): Order {
  const head = new Map(record.split("\n\n")[0].split("\n").map((line) => [line.split(": ")[0], line.slice(line.indexOf(": ") + 2)]));
  const numbers = (name: string) => (head.get(name) ?? "").split(", ").map(Number);
  return { decks: TIERS.map((tier) => numbers(`deck ${tier}`)), tiles: numbers("tiles"), start: numbers("start")[0] };
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What was checked; null: could not be. */
export interface Checks {
  computed: string;
  /** The commitment is the one this browser saw first. */
  seen: boolean | null;
  /** It is the hash of what was revealed. */
  hash: boolean;
  /** Every nonce fits its seal, and the seals are those this browser saw when it opened its own. */
  seals: boolean | null;
  /** The own nonce is part of the deal; if not, it came too late, was refused or was left out. */
  own: boolean | null;
  /** Start seat, tiles and decks of the record are those that follow. */
  order: boolean | null;
}

/** Whether something was changed. A nonce that came too late is told, but is not a change. */
export const isGood = (checks: Checks) => ![checks.seen, checks.hash, checks.seals, checks.order].includes(false);

export function check(reveal: Reveal, kept: Kept | null, printed: Printed): Checks {
  const seen = kept && kept.commitment === reveal.commitment;
  if (reveal.format === 3) {
    const computed = commitment3(reveal);
    const order = orderFits(keyOfShared(reveal), reveal, printed);
    return { computed, seen, hash: computed === reveal.commitment && followsFromDate(reveal), seals: null, own: null, order };
  }
  if (reveal.format === 1) {
    const computed = commitment1(reveal);
    return { computed, seen, hash: computed === reveal.commitment, seals: null, own: null, order: null };
  }
  const computed = commitment2(reveal.table, reveal.variant, reveal.players, reveal.start_rule, reveal.secret);
  return { computed, seen, hash: computed === reveal.commitment, seals: sealsFit(reveal, kept), own: ownIn(reveal, kept), order: orderFits(keyOf(reveal.table, reveal.secret, reveal.nonces), reveal, printed) };
}

function sealsFit(reveal: Reveal2, kept: Kept | null): boolean {
  // A nonce of a seat that is not there would be the server's own.
  if (reveal.seals.length !== reveal.players || reveal.nonces.length !== reveal.players) return false;
  const fit = reveal.nonces.every((nonce, seat) => nonce === null || sealOf(reveal.table, seat, nonce) === reveal.seals[seat]);
  return fit && (!kept?.seals || same(kept.seals, reveal.seals));
}

function ownIn(reveal: Reveal2, kept: Kept | null): boolean | null {
  if (kept === null || kept.seat === null) return null;
  // Without a nonce of its own this browser took no part, whatever is at its seat.
  if (kept.seat !== undefined) return kept.nonces[kept.seat] !== undefined && kept.nonces[kept.seat] === reveal.nonces[kept.seat];
  const own = Object.entries(kept.nonces);
  return own.length ? own.every(([seat, nonce]) => reveal.nonces[Number(seat)] === nonce) : null;
}

/** The seats of people who sealed no nonce. */
export function unsealed(reveal: Reveal2, seats: readonly SeatOut[]): number[] {
  return seats.filter(({ seat, kind }) => kind === "user" && !reveal.seals[seat]).map(({ seat }) => seat);
}

function orderFits(key: Uint8Array, reveal: Reveal2 | Reveal3, printed: Printed): boolean {
  const start = reveal.start_rule === "random" ? null : Number(reveal.start_rule);
  const order = orderOf(key, printed, reveal.players, start);
  return same(order, orderIn(reveal.record));
}
