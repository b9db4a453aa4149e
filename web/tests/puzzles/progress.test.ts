import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PuzzleEntryOut } from "../../src/api/messages";

const kept = new Map<string, string>();
vi.mock("../../src/ui/settings.svelte", () => ({
  keep: (key: string, value: string | null) => void (value === null ? kept.delete(key) : kept.set(key, value)),
  remembered: (key: string) => kept.get(key) ?? null,
}));
const { Progress } = await import("../../src/puzzles/progress.svelte");

const one = (id: string, more: Partial<PuzzleEntryOut> = {}): PuzzleEntryOut => ({ id, variant: "classic", themes: ["win"], difficulty: 2, ...more });
const ALL = [one("a"), one("b", { variant: "marvel" }), one("c", { themes: ["block", "race"] }), one("d", { difficulty: 5 })];

describe("progress with puzzles", () => {
  beforeEach(() => kept.clear());

  it("counts a streak of first answers, and a wrong one ends it", () => {
    const progress = new Progress();
    progress.answered("a", true);
    progress.answered("b", true);
    expect([progress.streak, progress.best]).toEqual([2, 2]);
    progress.answered("c", false);
    expect([progress.streak, progress.best]).toEqual([0, 2]);
    progress.answered("c", true);
    expect([progress.streak, progress.isSolved("c")]).toEqual([0, true]);
    progress.answered("a", false);
    expect([progress.best, progress.isSolved("a")]).toEqual([2, true]);
  });

  it("offers what was not seen, then what was not solved, then nothing until it is forgotten", () => {
    const progress = new Progress();
    expect(progress.next(ALL)).toBe("a");
    progress.answered("a", false);
    for (const id of ["b", "c"]) progress.answered(id, true);
    expect(progress.next(ALL)).toBe("d");
    progress.answered("d", true);
    expect(progress.next(ALL)).toBe("a");
    progress.answered("a", true);
    expect(progress.next(ALL)).toBeNull();
    progress.forget(ALL);
    expect(progress.next(ALL, "a")).toBe("b");
  });

  it("asks by game, theme and difficulty, and forgets no others", () => {
    const progress = new Progress();
    progress.answered("a", true);
    progress.choose({ variant: "marvel" });
    expect(progress.next(ALL)).toBe("b");
    progress.choose({ variant: "", theme: "race" });
    expect(progress.next(ALL)).toBe("c");
    progress.choose({ theme: "", difficulty: 5 });
    expect(progress.next(ALL)).toBe("d");
    progress.forget(ALL);
    expect(progress.isSolved("a")).toBe(true);
  });

  it("is remembered, and what cannot be read is as if nothing was kept", () => {
    const first = new Progress();
    first.answered("a", true);
    first.choose({ difficulty: 3 });
    const later = new Progress();
    expect([later.isSolved("a"), later.streak, later.wanted.difficulty]).toEqual([true, 1, 3]);
    kept.set("puzzles", "{");
    expect(new Progress().streak).toBe(0);
  });
});
