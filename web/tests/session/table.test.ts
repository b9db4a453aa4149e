import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { GameDataOut, OutcomeOut, StateOut } from "../../src/api/messages";
import type { Stage, TableSession } from "../../src/session/table.svelte";
import { FakeSocket, stubPage } from "./page";

const { heard } = vi.hoisted(() => ({ heard: [] as string[] }));
vi.mock("../../src/ui/settings.svelte", () => ({ keep: () => undefined, remembered: () => null, settings: { sound: false } }));
vi.mock("../../src/notify/alerts.svelte", () => ({ alerts: { turn: () => undefined, over: () => undefined, clear: () => undefined } }));
vi.mock("../../src/announce/sounds", () => ({
  sounds: Object.fromEntries(["pick", "putBack", "token", "card", "tile", "turn", "end"].map((name) => [name, () => void heard.push(name)])),
}));

const DATA = { theme: "classic", letters: "wugrk*", tile_kind: "noble", token_limit: 10, cards: [], tiles: [] } as unknown as GameDataOut;
const WON: OutcomeOut = { ranks: [1, 2], winners: [0], reason: "goal", points: [], resigned: [] };

function state(number: number, { stage = "main", legal = [] as string[], tokens = [0, 0, 0, 0, 0, 0], outcome = null as OutcomeOut | null } = {}): StateOut {
  const area = { tokens, bonuses: [], points: 0, symbols: 0, tableau: [], reserve: [] };
  return {
    type: "state",
    table: {
      id: "table",
      options: { variant: "classic", house: { token_limit: 10 } },
      seats: [0, 1].map((seat) => ({ seat, kind: "user", name: `Seat ${seat}`, bot: null, connected: true })),
      status: outcome ? "finished" : "running",
      commitment: "",
      deal: { format: 1, phase: "dealt", seals: [], nonces: [], opened: [] },
      rematch: null,
    },
    seat: 0,
    number,
    view: { seat: 0, turn: 0, turns: 0, start: 0, stage, bank: [4, 4, 4, 4, 4, 5], tiles: [], market: [], areas: [area, area], last_round: false },
    choices: { legal, payments: {} },
    prices: {},
    entries: [],
    clock: null,
    asks: [],
    can_undo: "no",
    outcome,
  } as unknown as StateOut;
}

let table: TableSession;
const over = vi.fn<Stage["over"]>();

const socket = () => FakeSocket.all[0];
function receive(message: object) {
  socket().onmessage({ data: JSON.stringify(message) });
  table.follow();
}
const sent = () => socket().sent.map((text) => JSON.parse(text) as { id: number; type: string; number: number; text: string });
async function acknowledge() {
  const last = sent().at(-1)!;
  receive({ type: "ack", id: last.id, number: last.number });
  await vi.advanceTimersByTimeAsync(0);
}

// The first import compiles the page, which may take longer than a test should.
beforeAll(() => import("../../src/session/table.svelte"), 60_000);
beforeEach(async () => {
  vi.useFakeTimers();
  stubPage();
  heard.length = 0;
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ name: "Anna" })));
  const { TableSession } = await import("../../src/session/table.svelte");
  const nothing = () => undefined;
  over.mockClear();
  table = new TableSession("table", false, { before: nothing, after: nothing, over, hinted: nothing, played: nothing });
  table.data = DATA;
  await vi.advanceTimersByTimeAsync(0);
  socket().readyState = FakeSocket.OPEN;
  socket().onopen();
});
afterEach(() => {
  table.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the replay", () => {
  const table_with = (status: string, open_reserves: boolean) => {
    const now = state(1);
    return { ...now, table: { ...now.table, status, options: { variant: "classic", house: { token_limit: 10, open_reserves } } } };
  };

  test("of a running game is there, but not where reserves lie face down", () => {
    receive(table_with("running", true));
    expect(table.hasReplay).toBe(true);
    receive({ ...table_with("running", false), number: 2 });
    expect(table.hasReplay).toBe(false);
    receive({ ...table_with("finished", false), number: 3 });
    expect(table.hasReplay).toBe(true);
  });
});

describe("the end", () => {
  test("is shown once, though states follow it", () => {
    receive(state(1));
    receive(state(2, { stage: "over", outcome: WON }));
    receive(state(2, { stage: "over", outcome: WON }));
    expect(over.mock.calls).toEqual([[true]]);
    expect(heard.filter((name) => name === "end")).toHaveLength(1);
  });

  test("of a game that was over before is told apart", () => {
    receive(state(2, { stage: "over", outcome: WON }));
    receive(state(2, { stage: "over", outcome: WON }));
    expect(over.mock.calls).toEqual([[false]]);
  });
});

describe("the piles", () => {
  const TAKES = ["take wug", "take ww", "take wur"];

  test("take picked tokens back", () => {
    receive(state(1, { legal: TAKES }));
    for (const letter of "wu") table.pick(letter);
    table.pick("w");
    expect(table.choice.picked).toEqual(["u"]);
    expect(sent()).toEqual([]);
  });

  test("give a second token of a kind first", () => {
    receive(state(1, { legal: TAKES }));
    for (const letter of "ww") table.pick(letter);
    expect(table.choice.take).toBe("take ww");
    table.pick("w");
    expect(table.choice.picked).toEqual([]);
  });

  test("say why there is no second one", () => {
    receive(state(1, { legal: ["take wug"] }));
    for (const letter of "ww") table.pick(letter);
    expect(table.choice.picked).toEqual([]);
    expect(sent()).toMatchObject([{ type: "why_not", text: "take ww" }]);
  });
});

describe("a move under way", () => {
  test("is said to be on its way when it takes long", async () => {
    receive(state(1, { legal: ["pass"] }));
    table.pass();
    expect([table.busy, table.sending]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(400);
    expect(table.sending).toBe(true);
    await acknowledge();
    expect([table.busy, table.sending]).toEqual([false, false]);
  });
});

describe("tokens above the limit", () => {
  const TOO_MANY = { stage: "return", legal: ["return w", "return k"], tokens: [6, 0, 0, 0, 6, 0] };

  test("go back together, and only when that is confirmed", async () => {
    receive(state(1, TOO_MANY));
    for (const letter of "wk") table.giveBack(letter);
    expect(sent()).toEqual([]);
    void table.returnAll();
    await acknowledge();
    await acknowledge();
    expect(sent()).toMatchObject([
      { type: "move", number: 2, text: "return w" },
      { type: "move", number: 3, text: "return k" },
    ]);
    expect(table.busy).toBe(false);
  });

  test("do not go one by one", async () => {
    receive(state(1, TOO_MANY));
    table.giveBack("w");
    void table.returnAll();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent()).toEqual([]);
  });
});
