import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeSocket, happens, stubPage } from "./page";

/** A connection of a new page, where GET /api/me is answered so. */
async function connect(...answers: Response[]) {
  vi.resetModules();
  vi.stubGlobal("fetch", () => Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0].clone()));
  const { Connection } = await import("../../src/session/connection.svelte");
  const connection = new Connection("table");
  await vi.advanceTimersByTimeAsync(0);
  return connection;
}


const ME = () => Response.json({ name: "Anna" });
const refused = (status: number) => Response.json({ detail: "no", code: "too_many_requests" }, { status });

// The first import of a page compiles it, which may take longer than a test should.
beforeAll(() => import("../../src/session/connection.svelte"), 60_000);
beforeEach(() => {
  vi.useFakeTimers();
  stubPage();
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
