import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

/** A socket that does what the test says. */
class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = FakeSocket.CONNECTING;
  sent: string[] = [];
  onopen = () => undefined as void;
  onmessage = (_event: { data: string }) => undefined as void;
  onclose: ((_event: { code: number; reason: string }) => void) | null = () => undefined;
  constructor(readonly address: string) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
    this.onclose?.({ code: 1000, reason: "" });
  }
  open() {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }
}

/** A connection of a new page, where GET /api/me is answered so. */
async function connect(...answers: Response[]) {
  vi.resetModules();
  vi.stubGlobal("fetch", () => Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0].clone()));
  const { Connection } = await import("../../src/session/connection.svelte");
  const connection = new Connection("table");
  await vi.advanceTimersByTimeAsync(0);
  return connection;
}

/** What the page listens to, by the name of the event. */
const happens = new Map<string, () => void>();

const ME = () => Response.json({ name: "Anna" });
const refused = (status: number) => Response.json({ detail: "no", code: "too_many_requests" }, { status });

// The first import of a page compiles it, which may take longer than a test should.
beforeAll(() => import("../../src/session/connection.svelte"), 60_000);
beforeEach(() => {
  FakeSocket.all = [];
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { origin: "http://here" });
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("CloseEvent", class {
    code: number;
    constructor(_name: string, { code }: { code: number }) {
      this.code = code;
    }
  });
  happens.clear();
  vi.stubGlobal("addEventListener", (name: string, heard: () => void) => happens.set(name, heard));
  vi.stubGlobal("removeEventListener", () => undefined);
  vi.stubGlobal("document", {
    addEventListener: (name: string, heard: () => void) => happens.set(name, heard),
    removeEventListener: () => undefined,
    visibilityState: "visible",
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a connection", () => {
  test("that is closed leaves no request without an answer", async () => {
    const connection = await connect(ME());
    FakeSocket.all[0].open();
    const asked = [connection.request({ type: "seal", seal: "" }), connection.request({ type: "move", number: 1, text: "pass" })];
    connection.close();
    asked.push(connection.request({ type: "move", number: 1, text: "pass" }));
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ ok: false, code: "lost" });
  });

  test("is opened although the address has asked too much", async () => {
    const connection = await connect(refused(429));
    expect(FakeSocket.all).toHaveLength(1);
    connection.close();
  });

  test("waits while the server is in trouble", async () => {
    const connection = await connect(refused(503));
    expect(FakeSocket.all).toHaveLength(0);
    connection.close();
  });

  test("comes back with a cookie when it may have one, to be able to sit down", async () => {
    const connection = await connect(refused(429), ME());
    const [socket] = FakeSocket.all;
    socket.open();
    socket.onmessage({ data: JSON.stringify({ type: "state", seat: null, entries: [] }) });
    await vi.advanceTimersByTimeAsync(25_000);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.all[1].open();
    await vi.advanceTimersByTimeAsync(5000);
    expect(connection.status).toBe("open");
    connection.close();
  });

  test("tries again at once when the line is back, and soon after that", async () => {
    const connection = await connect(ME());
    FakeSocket.all[0].open();
    // The line is gone for so long that the pauses have grown.
    for (let i = 0; i < 12; i++) {
      FakeSocket.all.at(-1)!.close();
      await vi.advanceTimersByTimeAsync(4000);
    }
    FakeSocket.all.at(-1)!.close();
    const before = FakeSocket.all.length;
    happens.get("online")!();
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.all).toHaveLength(before + 1);
    // The first attempt comes too early: the next ones follow as after a short interruption.
    FakeSocket.all.at(-1)!.close();
    await vi.advanceTimersByTimeAsync(400);
    expect(FakeSocket.all).toHaveLength(before + 2);
    connection.close();
  });

  test("never makes somebody who looks wait long", async () => {
    const connection = await connect(ME());
    for (let i = 0; i < 20; i++) {
      FakeSocket.all.at(-1)!.close();
      await vi.advanceTimersByTimeAsync(3750);
      expect(FakeSocket.all.length).toBe(i + 2);
    }
    connection.close();
  });

  test("leaves an attempt over the old line when there is a new one", async () => {
    const connection = await connect(ME());
    expect(FakeSocket.all[0].readyState).toBe(FakeSocket.CONNECTING);
    happens.get("visibilitychange")!();
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.all, "to look again is no reason").toHaveLength(1);
    happens.get("online")!();
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.all[1].open();
    expect(connection.status).toBe("open");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(FakeSocket.all, "the first one is forgotten").toHaveLength(2);
    connection.close();
  });

  test("gives up an attempt that hangs", async () => {
    const connection = await connect(ME());
    await vi.advanceTimersByTimeAsync(6500);
    expect(FakeSocket.all).toHaveLength(2);
    connection.close();
  });

  test("finds out soon that a line which seems to be open is dead", async () => {
    const connection = await connect(ME());
    const [socket] = FakeSocket.all;
    socket.open();
    happens.get("online")!();
    expect(socket.sent.at(-1)).toBe('{"type":"ping"}');
    await vi.advanceTimersByTimeAsync(3000);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.all[1].open();
    happens.get("visibilitychange")!();
    FakeSocket.all[1].onmessage({ data: '{"type":"pong"}' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(FakeSocket.all, "one that answers is kept").toHaveLength(2);
    connection.close();
  });
});
