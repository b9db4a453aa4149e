import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeSocket, stubPage } from "./page";

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
});
