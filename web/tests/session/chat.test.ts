import { describe, expect, it, vi } from "vitest";
import type { ChatLineOut } from "../../src/api/messages";
import { heard, merged } from "../../src/session/said";

const kept = new Map<string, string>();
vi.mock("../../src/ui/settings.svelte", () => ({
  keep: (key: string, value: string | null) => void (value === null ? kept.delete(key) : kept.set(key, value)),
  remembered: (key: string) => kept.get(key) ?? null,
}));
const { TableChat } = await import("../../src/session/chat.svelte");

const line = (number: number, at: number, more: Partial<ChatLineOut> = {}): ChatLineOut => ({
  room: "table",
  number,
  seat: 1,
  author: "ben",
  name: "Ben",
  kind: "text",
  text: `line ${number}`,
  at,
  ...more,
});

function chatOf(lines: ChatLineOut[], id = "one") {
  return new TableChat({ id, chat: lines } as never);
}

describe("what is said", () => {
  it("stands in the order of time, each line once, whichever room it comes from", () => {
    const known = [line(1, 10), line(2, 30)];
    const fresh = [line(2, 30), line(1, 20, { room: "watch", seat: null }), line(3, 40)];
    expect(merged(known, fresh).map(({ room, number }) => `${room} ${number}`)).toEqual(["table 1", "watch 1", "table 2", "table 3"]);
  });

  it("says what a socket need not send again", () => {
    expect(heard([])).toEqual({ table: 0, watch: 0 });
    expect(heard([line(3, 1), line(2, 2), line(5, 3, { room: "watch" })])).toEqual({ table: 3, watch: 5 });
  });

  it("is new until it was looked at, but not if one said it oneself", () => {
    kept.clear();
    const lines = [line(1, 10), line(2, 20, { seat: 0, author: "anna" }), line(3, 30, { seat: null, author: "eve" })];
    expect(chatOf(lines).unread(0)).toBe(2);
    chatOf(lines).look();
    expect(chatOf(lines).unread(0)).toBe(0);
    expect(chatOf([...lines, line(4, 40)]).unread(0)).toBe(1);
    expect(chatOf(lines, "two").unread(0)).toBe(2);
  });

  it("can be muted by person at one table, and altogether", () => {
    kept.clear();
    const lines = [line(1, 10), line(2, 20, { seat: 2, author: "cleo", name: "Cleo" })];
    chatOf(lines).mute("ben", true);
    const chat = chatOf(lines);
    expect(chat.lines.map(({ author }) => author)).toEqual(["cleo"]);
    expect([...chat.silent]).toEqual([["ben", "Ben"]]);
    expect(chatOf(lines, "two").lines).toHaveLength(2);
    chat.mute("ben", false);
    expect(chatOf(lines).lines).toHaveLength(2);
    chat.muteAll(true);
    expect(chatOf(lines, "two").lines).toEqual([]);
    chat.muteAll(false);
    expect(chatOf(lines, "two").lines).toHaveLength(2);
  });

  it("does not stumble over what a browser may have stored", () => {
    for (const odd of ["{", "7", '{"a":1}', "[1, null]"]) {
      kept.set("muted.one", odd);
      kept.set("chat.one", odd);
      expect(chatOf([line(1, 10)]).lines).toHaveLength(1);
      expect(chatOf([line(1, 10)]).unread(0)).toBe(1);
    }
  });
});
