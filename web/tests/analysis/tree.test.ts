import { describe, expect, it } from "vitest";
import { MAX_LINK, MAX_NOTE, packed, unpacked, type Branch, type Shared } from "../../src/analysis/tree";

const branch = (text: string, next: Branch[] = [], card: number | null = null, note = ""): Branch => ({ text, card, note, next });
const STUDY: Shared = {
  position: "classic 2 seen:- start:0 turns:0",
  names: ["Anna", "Þórunn"],
  note: "the beginning",
  next: [branch("take wug", [branch("reserve 1a", [], 17, "why not?"), branch("buy 1a with *u", [], 40)]), branch("pass")],
  at: [0, 1],
};

describe("a study as a link", () => {
  it("comes back as it was", async () => {
    expect(await unpacked(await packed(STUDY))).toEqual(STUDY);
  });

  it("has only letters that stand in a link as they are, and a long game fits", async () => {
    let line = branch("pass");
    for (let i = 0; i < 150; i += 1) line = branch(`reserve ${1 + (i % 3)}${"abcd"[i % 4]}`, [line], 1 + ((i * 37) % 90));
    const fragment = await packed({ ...STUDY, next: [line] });
    expect(fragment).toMatch(/^[\w-]+$/);
    expect(fragment.length).toBeLessThan(MAX_LINK);
  });

  it.each(["", "?", "AAAA", "not a study", "8J-Zgg"])("is nothing if it is %j", async (fragment) => {
    expect(await unpacked(fragment)).toBeNull();
  });

  it("is nothing if it is of another kind", async () => {
    const whole = async (value: unknown) => {
      const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    };
    for (const wrong of [{}, [2, "classic 2", [], "", [], []], [1, 7, [], "", [], []], [1, "classic 2", [], "", [[7]], []], [1, "classic 2", [], "", "x", []]])
      expect(await unpacked(await whole(wrong))).toBeNull();
    const odd = await unpacked(await whole([1, "classic 2", 7, 7, [["pass", -3, "x".repeat(2 * MAX_NOTE)]], ["a", 1]]));
    expect(odd).toEqual({ position: "classic 2", names: [], note: "", next: [branch("pass", [], null, "x".repeat(MAX_NOTE))], at: [1] });
  });

  it("is not unpacked if it holds very much", async () => {
    const fragment = await packed({ ...STUDY, note: "x".repeat(2_000_000) });
    expect(fragment.length).toBeLessThan(MAX_LINK);
    expect(await unpacked(fragment)).toBeNull();
  });
});
