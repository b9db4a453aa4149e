import { describe, expect, test } from "vitest";
import type { Reveal2, Variant } from "../../src/api/http";
import vectors from "../../../tests/golden/deals.json";
import { check as checkWith, commitment2, isGood, keyOf, orderIn, orderOf, sealOf, unsealed, type Printed } from "../../src/session/shuffle";

interface Vector {
  table: string;
  variant: Variant;
  players: number;
  start: number;
  secret: string;
  nonces: (string | null)[];
  commitment: string;
  seals: (string | null)[];
  key: string;
  decks: number[][];
  tiles: number[];
  first: number;
}

// What the server's data says of each game, as far as a deal depends on it.
const printed = (faces: number, pieces: number, dealt: number[]) =>
  ({
    cards: Array.from({ length: 90 }, (_, i) => ({ number: i + 1, tier: i < 40 ? 1 : i < 70 ? 2 : 3 })),
    tiles: Array.from({ length: faces * pieces }, (_, i) => ({ number: i + 1 })),
    tile_faces: faces,
    tiles_dealt: dealt,
  }) as Printed;
const PRINTED: Record<Variant, Printed> = { classic: printed(1, 10, [3, 4, 5]), marvel: printed(2, 4, [2, 3, 4]), cities: printed(2, 7, [3, 3, 3]) };
const check = (reveal: Reveal2, kept: Parameters<typeof checkWith>[1]) => checkWith(reveal, kept, PRINTED[reveal.variant]);

// The same file is read by the server's tests.
const VECTORS = vectors as Vector[];
const rule = (vector: Vector) => (vector.start < 0 ? "random" : String(vector.start));

describe.each(VECTORS)("the deal of $table", (vector) => {
  test("commitment and seals", () => {
    expect(commitment2(vector.table, vector.variant, vector.players, rule(vector), vector.secret)).toBe(vector.commitment);
    expect(vector.nonces.map((nonce, seat) => nonce && sealOf(vector.table, seat, nonce))).toEqual(vector.seals);
  });

  test("the order of all cards", () => {
    const key = keyOf(vector.table, vector.secret, vector.nonces);
    expect([...key].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(vector.key);
    const order = orderOf(key, PRINTED[vector.variant], vector.players, vector.start < 0 ? null : vector.start);
    expect(order).toEqual({ decks: vector.decks, tiles: vector.tiles, start: vector.first });
  });
});

function revealOf(vector: Vector): Reveal2 {
  const { table, variant, players, secret, seals, nonces, commitment } = vector;
  const head = ["cabochon game 1", `variant: ${variant}`, `players: ${players}`, `start: ${vector.first}`, "seat 0: deck 1: 5", `tiles: ${vector.tiles.join(", ")}`];
  const record = [...head, ...vector.decks.map((deck, tier) => `deck ${tier + 1}: ${deck.join(", ")}`), "", "take wug", "result: unfinished", ""].join("\n");
  return { format: 2, table, variant, players, start_rule: rule(vector), secret, seals, nonces, commitment, record };
}

describe("checking", () => {
  const reveal = revealOf(VECTORS[0]);
  const kept = { commitment: reveal.commitment, nonces: { 1: reveal.nonces[1]! }, seals: reveal.seals };

  test("everything fits", () => {
    const checks = check(reveal, kept);
    expect(checks).toEqual({ computed: reveal.commitment, seen: true, hash: true, seals: true, own: true, order: true });
    expect(isGood(checks)).toBe(true);
    expect(check(reveal, null)).toMatchObject({ seen: null, own: null });
    expect(orderIn(reveal.record).tiles).toEqual(VECTORS[0].tiles);
  });

  const other = "ee".repeat(32);
  test.each<[string, Partial<Reveal2>, string]>([
    ["another secret", { secret: other }, "hash"],
    ["another secret with its own commitment", { secret: other, commitment: commitment2(reveal.table, "classic", 2, "random", other) }, "seen"],
    ["another nonce", { nonces: [other, reveal.nonces[1]] }, "seals"],
    ["another nonce with its own seal", { nonces: [other, reveal.nonces[1]], seals: [sealOf(reveal.table, 0, other), reveal.seals[1]] }, "seals"],
    ["a nonce of a seat that is not there", { nonces: [...reveal.nonces, other], seals: [...reveal.seals, sealOf(reveal.table, 2, other)] }, "seals"],
    ["other cards", { record: reveal.record.replace("deck 3: 76, 85", "deck 3: 85, 76") }, "order"],
    ["another start seat", { record: reveal.record.replace("start: 0", "start: 1") }, "order"],
  ])("%s", (_what, change, found) => {
    const checks = check({ ...reveal, ...change }, kept);
    expect(checks).toMatchObject({ [found]: false });
    expect(isGood(checks)).toBe(false);
  });

  test("the own number was left out", () => {
    const checks = check({ ...reveal, nonces: [reveal.nonces[0], null] }, kept);
    expect(checks.own).toBe(false);
  });

  test("only the nonce of the seat at the deal is the own one", () => {
    const nonces = { 0: other, 1: reveal.nonces[1]! };
    expect(check(reveal, { ...kept, nonces, seat: 1 }).own, "seat 0 was left before").toBe(true);
    expect(check(reveal, { ...kept, nonces, seat: 0 }).own).toBe(false);
    expect(check(reveal, { ...kept, nonces: {}, seat: 1 }).own, "another drew the nonce there").toBe(false);
    expect(check({ ...reveal, nonces: [null, null] }, { ...kept, nonces: {}, seat: 1 }).own).toBe(false);
    expect(check(reveal, { ...kept, nonces, seat: null }).own, "only looked on").toBe(null);
  });

  test("people without a seal are found, bots are not", () => {
    const seat = (number: number, kind: "user" | "bot") => ({ seat: number, kind, name: "", bot: null, connected: true, resigned: false, rematch: false });
    const seals = [null, reveal.seals[1], null];
    expect(unsealed({ ...reveal, seals }, [seat(0, "user"), seat(1, "user"), seat(2, "bot")])).toEqual([0]);
  });
});
