import { describe, expect, it } from "vitest";
import { refusalWords } from "../../src/announce/refusals";
import { dayWords, resultLine, scoreWords, sharedNote, timeWords } from "../../src/daily/shared";

describe("a deal that is shared", () => {
  const score = { result: "won", points: 16, best: 12, rounds: 27 } as const;

  it("tells the result in a line, and nothing of the deal", () => {
    expect(scoreWords(score)).toBe("Won · 16:12 · 27 rounds");
    expect(scoreWords({ ...score, result: "lost", rounds: null })).toBe("Lost · 16:12");
    const line = resultLine("classic", "2026-11-16", score, "https://here/daily/classic").split("\n");
    expect(line[0]).toContain("November 16, 2026");
    expect(line.slice(1)).toEqual(["Won · 16:12 · 27 rounds", "https://here/daily/classic"]);
  });

  it("names the day of UTC, wherever the reader is", () => {
    expect(dayWords("2026-01-01")).toBe("January 1, 2026");
  });

  it("says at the table where the cards come from, and whether it counts", () => {
    expect(sharedNote({ kind: "day", name: "2026-11-16", counts: true })).toMatch(/follow from the date alone.*counts/);
    expect(sharedNote({ kind: "duel", name: "abc", counts: false })).toMatch(/same cards.*practice/);
  });

  it("counts hours and minutes", () => {
    expect(timeWords(3 * 3600 + 61)).toBe("3 hr 2 min");
    expect(timeWords(5)).toBe("1 min");
  });

  it("brings the words of its own refusals", () => {
    expect(refusalWords({ code: "counts", facts: {} })).toMatch(/^This game counts/);
  });
});
