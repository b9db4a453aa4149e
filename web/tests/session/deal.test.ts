import { describe, expect, test, vi } from "vitest";
import type { DealOut, StateOut } from "../../src/api/messages";
import { LOST, type Answer, type Connection, type Request } from "../../src/session/connection.svelte";
import { sealOf } from "../../src/session/shuffle";

vi.hoisted(() => {
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    localStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => kept.set(key, text), removeItem: (key: string) => kept.delete(key) },
  });
});
const { DealPartner, recall } = await import("../../src/session/deal.svelte");

const OK: Answer = { ok: true, number: 0 };
const REFUSED: Answer = { ok: false, code: "sealed_already", facts: {}, rule: null };
let tables = 0;

/** A table at which we have seat 0 of 2, and what the partner sends there. */
function sitting(answer: Answer | Promise<Answer> = OK, { id = `table${(tables += 1)}`, fromStart = false, Partner = DealPartner } = {}) {
  const sent: Request[] = [];
  const connection = { request: (request: Request) => (sent.push(request), Promise.resolve(answer)) } as unknown as Connection;
  const partner = new Partner(connection, fromStart);
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

/** Another tab, or the page after it was loaded again: it shares only the storage. */
async function otherPage() {
  vi.resetModules();
  return (await import("../../src/session/deal.svelte")).DealPartner;
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
    expect(recall(id)).toEqual({ commitment: "first", nonces: { 0: nonce }, seals: [own, "other"], seat: 0 });
  });

  test("opens the same nonce again, never another one", async () => {
    const { look } = sitting();
    const own = seal(await look({}));
    const first = await look({ phase: "opening", seals: [own, null] });
    expect(await look({ phase: "opening", seals: [own, null] })).toEqual(first);
    expect(seal(await look({ phase: "sealing" }))).toBe(own);
  });

  test("does not open what it did not seal", async () => {
    const { look } = sitting(REFUSED);
    await look({});
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

  test.each(["sealed_already", "too_many_messages", "failed"])("a seal that is refused (%s) is not waited for, and is told", async (code) => {
    const { id, partner, look } = sitting({ ...REFUSED, code } as Answer);
    await look({});
    expect(partner.ready).toBe(true);
    await look({ phase: "dealt", seals: [null, "other"], nonces: [null, "other"] });
    expect(partner.leftOut).toBe(true);
    expect(recall(id)).toMatchObject({ seat: 0, nonces: { 0: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  });

  test("a lost connection is waited for", async () => {
    const { partner, look } = sitting({ ok: false, code: LOST, facts: {}, rule: null });
    const first = await look({});
    expect(partner.ready).toBe(false);
    expect(await look({})).toEqual(first);
  });

  test("sees that the game began before it could seal", async () => {
    const late = sitting();
    expect(await late.look({ phase: "opening", seals: [null, "other"] })).toEqual([]);
    await late.look({ phase: "dealt", seals: [null, "other"], nonces: [null, "other"] });
    expect(late.partner.leftOut).toBe(true);
    const opened = sitting(OK, { fromStart: true });
    await opened.look({ phase: "dealt" });
    expect(opened.partner.leftOut).toBe(true);
    const guest = sitting();
    await guest.look({ phase: "dealt" });
    expect(guest.partner.leftOut, "the seat was taken after the deal").toBe(false);
    expect(recall(guest.id)!.seat).toBe(null);
  });

  test("only the last seat counts", async () => {
    const { id, partner, look } = sitting();
    const left = seal(await look({}));
    const own = seal(await look({}, "first", 1));
    expect(own).not.toBe(left);
    await look({ phase: "opening", seals: [null, own] }, "first", 1);
    await look({ phase: "dealt", seals: [null, own], nonces: [null, recall(id)!.nonces[1]] }, "first", 1);
    expect(partner.leftOut).toBe(false);
    expect(recall(id)!.seat).toBe(1);
  });

  test("a page that went before the answer goes on with its nonce", async () => {
    const { id, look } = sitting(new Promise<Answer>(() => undefined));
    const own = seal(await look({}));
    const again = sitting(OK, { id, Partner: await otherPage() });
    expect(seal(await again.look({}))).toBe(own);
    const nonce = recall(id)!.nonces[0];
    const later = sitting(OK, { id, Partner: await otherPage() });
    expect(await later.look({ phase: "opening", seals: [own, null] })).toEqual([{ type: "nonce", nonce }]);
    expect(later.partner.leftOut).toBe(false);
  });

  test("a second tab opens what the first one sealed", async () => {
    const first = sitting();
    const second = sitting(OK, { id: first.id, Partner: await otherPage() });
    await second.look({}, "first", null); // both have seen the table, and keep it in mind
    const own = seal(await first.look({}));
    const nonce = recall(first.id)!.nonces[0];
    expect(await second.look({ phase: "opening", seals: [own, null] })).toEqual([{ type: "nonce", nonce }]);
  });

  test("a state that comes while a seal is under way is not forgotten", async () => {
    let acknowledge: (answer: Answer) => void = () => undefined;
    const { id, look } = sitting(new Promise<Answer>((done) => (acknowledge = done)));
    const own = seal(await look({}));
    await look({ phase: "opening", seals: [own, null] });
    acknowledge(OK);
    expect(await look({ phase: "opening", seals: [own, null] })).toEqual([{ type: "nonce", nonce: recall(id)!.nonces[0] }]);
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
