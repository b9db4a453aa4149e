import { describe, expect, it } from "vitest";
import { draftOf, emptyDraft, unused } from "../../src/analysis/draft";
import { places } from "../../src/analysis/moves";
import type { BoardOut, GameDataOut } from "../../src/api/messages";

describe("where a move is drawn", () => {
  it.each([
    ["take wug", ["bank-w", "bank-u", "bank-g"], "seat-1-name"],
    ["take rr", ["bank-r"], "seat-1-name"],
    ["buy 2c", ["slot-2c"], "seat-1-name"],
    ["buy @2", ["seat-1-reserve-2"], "seat-1-name"],
    ["reserve 3?", ["deck-3"], "seat-1-reserve"],
    ["return k", ["seat-1-name"], "bank-k"],
    ["claim 2", ["tile 2"], "seat-1-name"],
    ["pass", [], "seat-1-name"],
  ])("%s", (text, from, to) => {
    expect(places(text, 1)).toEqual({ from, to });
  });
});

describe("a draft", () => {
  const data = { variant: "marvel", letters: "ypbro*t", cards: [1, 2, 3, 4].map((number) => ({ number, tier: number < 4 ? 1 : 2 })) } as unknown as GameDataOut;

  it("says no Time tokens: they follow from the cards", () => {
    expect(emptyDraft(data, 3).seats.map((seat) => seat.tokens)).toEqual([1, 2, 3].map(() => [0, 0, 0, 0, 0, 0]));
    const area = { tokens: [1, 0, 0, 0, 0, 2, 1], tableau: [4], reserve: [{ tier: 1, blind: true, card: null }] };
    const view = { start: 0, turn: 1, round: 4, market: [[1, null, null, null]], tiles: [], avengers: null, areas: [area] };
    const draft = draftOf({ variant: "marvel", players: 2, house: {}, view } as unknown as BoardOut);
    expect(draft.seats[0].tokens).toEqual([1, 0, 0, 0, 0, 2]);
    expect(draft.seats[0].reserve).toEqual([{ tier: 1, blind: true, card: null }]);
  });

  it("offers the cards that lie nowhere", () => {
    const draft = emptyDraft(data, 2);
    draft.market[0][0] = 1;
    draft.seats[0].tableau = [4];
    draft.seats[1].reserve = [{ tier: 1, card: 2, blind: false }];
    expect(unused(draft, data, null)).toEqual([3]);
    expect(unused(draft, data, 2)).toEqual([]);
  });
});
