import { describe, expect, test, vi } from "vitest";
import { isForTable, press, shortcut, SHORTCUTS, type Panels } from "../../src/keys/shortcuts";
import type { Playing } from "../../src/session/table.svelte";

const ACTIONS = ["giveBack", "returnAll", "claim", "pick", "putBack", "clear", "take", "buy", "reserve", "nextPayment", "pass", "undo", "askHint"] as const;

/** A table that writes down what is done at it. */
function tableIn(stage: string, { mine = true, letters = "wugrk*", choice = {} } = {}) {
  const done: string[] = [];
  const acts = Object.fromEntries(ACTIONS.map((name) => [name, (...what: unknown[]) => void done.push([name, ...what].join(" "))]));
  return { done, table: { ...acts, mine, view: { stage }, data: { letters }, choice, hint: null } as unknown as Playing };
}

const panels: Panels = { status: vi.fn(), log: vi.fn() };

function keyed(key: string, target: Partial<HTMLElement> = {}) {
  const element = { closest: () => null, dataset: {}, getAttribute: () => null, ...target };
  return { key, target: element, preventDefault: vi.fn() } as unknown as KeyboardEvent & { preventDefault: ReturnType<typeof vi.fn> };
}

function pressed(key: string, stage = "main", options = {}, target: Partial<HTMLElement> = {}) {
  const { done, table } = tableIn(stage, options);
  const event = keyed(key, target);
  press(table, event, panels);
  return { done, takenOver: event.preventDefault.mock.calls.length > 0 };
}

describe("a key at the table", () => {
  test.each([
    ["w", "main", "pick w", true],
    ["K", "main", "pick k", true],
    ["*", "main", undefined, false],
    ["w", "return", "giveBack w", true],
    ["*", "return", "giveBack *", true],
    ["d", "return", "giveBack *", true],
    ["2", "claim", "claim 2", true],
    ["Backspace", "main", "putBack", true],
    ["Escape", "main", "clear", false],
    ["a", "main", "buy", false],
    ["s", "main", "reserve", false],
    ["q", "main", "nextPayment", false],
    ["x", "main", "pass", false],
    ["z", "main", "undo", false],
    ["i", "main", "askHint", false],
    ["ä", "main", undefined, false],
  ])("%s in %s: %s", (key, stage, action, takenOver) => {
    expect(pressed(key, stage)).toEqual({ done: action ? [action] : [], takenOver });
  });

  test("picks the colours of the game on the table", () => {
    expect(pressed("y", "main", { letters: "ypbro*t" }).done).toEqual(["pick y"]);
    expect(pressed("y").done).toEqual([]);
  });

  test("returns and chooses only on the own turn", () => {
    expect(pressed("w", "return", { mine: false }).done).toEqual(["pick w"]);
    expect(shortcut(tableIn("claim", { mine: false }).table, "2")?.keys).toContain("3");
  });

  test("Enter plays what is chosen, unless a button has the focus", () => {
    const button: Partial<HTMLElement> = { closest: (() => ({})) as never };
    expect(pressed("Enter", "main", { choice: { take: "take wug" } })).toEqual({ done: ["take"], takenOver: true });
    expect(pressed("Enter", "main", { choice: { buy: "buy 1a" } })).toEqual({ done: ["buy"], takenOver: true });
    expect(pressed("Enter", "main", { choice: { buy: "buy 1a" } }, button)).toEqual({ done: [], takenOver: false });
    expect(pressed("Enter", "main", { choice: { buy: "buy 1a" } }, { ...button, getAttribute: () => "true" })).toEqual({ done: ["buy"], takenOver: true });
    expect(pressed("Enter", "main", { choice: { take: "take kk" } }, { ...button, dataset: { nav: "bank" } })).toEqual({ done: ["take"], takenOver: true });
    expect(pressed("Enter", "return", { choice: { returns: ["return w"] } })).toEqual({ done: ["returnAll"], takenOver: true });
    const advice = { ...button, dataset: { advice: "reserve 1a" } };
    expect(pressed("Enter", "main", { choice: { reserve: "reserve 1a" } }, advice)).toEqual({ done: ["reserve"], takenOver: true });
  });

  test("is left to fields, dialogs and the browser", () => {
    expect(isForTable(keyed("w"), true)).toBe(true);
    expect(isForTable({ ...keyed("w"), ctrlKey: true } as KeyboardEvent, true)).toBe(false);
    expect(isForTable(keyed("w", { closest: (() => ({})) as never }), true)).toBe(false);
  });

  test.each([
    ["w", false],
    ["1", false],
    ["*", false],
    ["Enter", true],
    ["Escape", true],
    ["ArrowLeft", true],
  ])("%s where single keys are switched off: %s", (key, expected) => {
    expect(isForTable(keyed(key), false)).toBe(expected);
  });

  test("has one meaning in a stage", () => {
    for (const stage of ["main", "return", "claim"])
      for (const letters of ["wugrk*", "ypbro*t"]) {
        const { table } = tableIn(stage, { letters });
        const fixed = SHORTCUTS.filter(({ when }) => !when).flatMap(({ keys }) => (typeof keys === "function" ? keys(table) : keys));
        expect(fixed.length).toBe(new Set(fixed).size);
      }
  });
});
