import { describe, expect, test, vi } from "vitest";
import type { DealOut, StateOut } from "../src/api/messages";
import type { Answer, Connection, Request } from "../src/lib/connection.svelte";
import { sealOf } from "../src/lib/shuffle";

vi.hoisted(() => {
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    localStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => kept.set(key, text), removeItem: (key: string) => kept.delete(key) },
  });
});
const { DealPartner, recall } = await import("../src/lib/deal.svelte");

const OK: Answer = { ok: true, number: 0 };
const REFUSED: Answer = { ok: false, reason: "no", code: "sealed_already", facts: {} };
let tables = 0;

/** A table at which we have seat 0 of 2, and what the partner sends there. */
function sitting(answer: Answer = OK) {
  const id = `table${(tables += 1)}`;
  const sent: Request[] = [];
  const connection = { request: (request: Request) => (sent.push(request), Promise.resolve(answer)) } as unknown as Connection;
  const partner = new DealPartner(connection);
  const look = async (deal: Partial<DealOut>, commitment = "first", seat: number | null = 0) => {
    const whole = { format: 2, phase: "waiting", start: null, seals: [null, null], opened: [false, false], nonces: [null, null], ...deal };
    const before = sent.length;
    partner.look({ seat, table: { id, commitment, deal: whole } } as unknown as StateOut);
    await vi.dynamicImportSettled();
    await new Promise((done) => setTimeout(done));
    return sent.slice(before);
  };
  return { id, partner, look };
}

const seal = (requests: Request[]) => (requests[0]?.type === "seal" ? requests[0].seal : null);

describe("the deal partner", () => {
  test("seals, then opens, and keeps what it saw", async () => {
    const { id, partner, look } = sitting();
    const own = seal(await look({}));
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    const nonce = recall(id)!.nonces[0];
    expect(sealOf(id, 0, nonce)).toBe(own);
    expect(await look({ seals: [own, null] })).toEqual([]);
    expect(partner.ready).toBe(true);
    expect(await look({ phase: "opening", seals: [own, "other"] })).toEqual([{ type: "nonce", nonce }]);
    expect(await look({ phase: "opening", seals: [own, "other"], opened: [true, false] })).toEqual([]);
    await look({ phase: "dealt", seals: [own, "other"], nonces: [nonce, "other"] });
    expect([partner.exchanged, partner.leftOut]).toEqual([false, false]);
    expect(recall(id)).toEqual({ commitment: "first", nonces: { 0: nonce }, seals: [own, "other"] });
  });

  test("opens the same nonce again, never another one", async () => {
    const { look } = sitting();
    const own = seal(await look({}));
    const first = await look({ phase: "opening", seals: [own, null] });
    expect(await look({ phase: "opening", seals: [own, null] })).toEqual(first);
    expect(seal(await look({ phase: "sealing" }))).toBe(own);
  });

  test("does not open what it did not seal", async () => {
    const { id, look } = sitting(REFUSED);
    await look({});
    expect(recall(id)!.nonces).toEqual({});
    expect(await look({ phase: "opening", seals: ["another device", null] })).toEqual([]);
  });

  test("does not open when the commitment is another one", async () => {
    const { partner, look } = sitting();
    const own = seal(await look({}));
    expect(await look({ phase: "opening", seals: [own, null] }, "second")).toEqual([]);
    expect(partner.exchanged).toBe(true);
  });

  test("sees that a seal was added after it opened", async () => {
    const { id, partner, look } = sitting();
    const own = seal(await look({}));
    await look({ phase: "opening", seals: [own, null] });
    await look({ phase: "dealt", seals: [own, "late"], nonces: [recall(id)!.nonces[0], "late"] });
    expect(partner.exchanged).toBe(true);
  });

  test("sees that it was left out", async () => {
    const { partner, look } = sitting();
    const own = seal(await look({}));
    await look({ phase: "dealt", seals: [own, null] });
    expect(partner.leftOut).toBe(true);
  });

  test("spectators and tables of older servers only keep the commitment", async () => {
    for (const [deal, seat] of [[{}, null], [{ format: 1 }, 0]] as [Partial<DealOut>, number | null][]) {
      const { id, partner, look } = sitting();
      expect(await look(deal, "first", seat)).toEqual([]);
      expect(recall(id)!.commitment).toBe("first");
      await look(deal, "second", seat);
      expect(partner.exchanged).toBe(true);
    }
  });
});
