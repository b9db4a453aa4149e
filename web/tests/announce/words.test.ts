import { afterEach, describe, expect, test } from "vitest";
import type { AdvantageOut, EntryOut, GameDataOut, ThoughtOut, TileFaceOut } from "../../src/api/messages";
import { advantage, percents, plain, sentences, spoken, thoughtOf, tileWords, weakened } from "../../src/announce/words";
import { m } from "../../src/paraglide/messages";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

afterEach(() => overwriteGetLocale(() => "en"));

const face = (asked: Partial<TileFaceOut>): TileFaceOut => ({ number: 1, points: 0, demand: [0, 0, 0, 0, 0], name: "", prestige: 0, other: 0, ...asked });
const dataOf = (tile_kind: string, tile: TileFaceOut) => ({ theme: "classic", letters: "wugrk*", tile_kind, cards: [], tiles: [tile] }) as unknown as GameDataOut;

describe("what a tile asks for", () => {
  test.each([
    ["noble", face({ points: 3, demand: [3, 3, 0, 0, 3] }), "Noble, 3 points: wants 3 diamonds, 3 sapphires and 3 onyxes"],
    ["city", face({ prestige: 13, demand: [4, 0, 0, 3, 0] }), "City: asks for 13 points, 4 diamonds and 3 rubies"],
    ["city", face({ prestige: 14, demand: [0, 0, 4, 0, 0], other: 4 }), "City: asks for 14 points, 4 emeralds and 4 bonuses of one other colour"],
    ["city", face({ prestige: 12, other: 6 }), "City: asks for 12 points and 6 bonuses of one colour"],
    ["city", face({ prestige: 17 }), "City: asks for 17 points"],
  ])("%s %j", (kind, tile, expected) => {
    expect(tileWords(dataOf(kind, tile), tile)).toBe(expected);
  });

  test.each([
    ["en", "Anna takes a city"],
    ["pl", "Anna zdobywa miasto"],
    ["is", "Anna fær borg"],
    ["pt", "Anna fica com uma cidade"],
  ] as const)("who takes a city is told in %s", (locale, expected) => {
    overwriteGetLocale(() => locale);
    const speaker = { data: dataOf("city", face({ prestige: 17 })), name: () => "Anna" };
    const entry = { number: 1, kind: "move", seat: 0, text: "buy 1a", card: null, tile: 1, avengers: false, gems: [] } as unknown as EntryOut;
    expect(plain(sentences(entry, speaker).at(-1)!, speaker)).toBe(expected);
  });
});

describe("a forced pass shows the reserved cards", () => {
  test.each([
    ["en", "Anna shows Rocket, Wong"],
    ["pl", "Anna pokazuje: Rocket, Wong"],
    ["is", "Anna sýnir Rocket, Wong"],
    ["pt", "Anna mostra Rocket, Wong"],
  ] as const)("in %s", (locale, expected) => {
    overwriteGetLocale(() => locale);
    const cards = ["Rocket", "Wong"].map((name, i) => ({ number: i + 1, tier: 1, bonus: "y", points: 0, cost: [], name, symbols: 0 }));
    const data = { ...dataOf("location", face({})), theme: "marvel", letters: "ypbro*t", cards } as unknown as GameDataOut;
    const speaker = { data, name: () => "Anna" };
    const entry = { number: 1, kind: "move", seat: 0, text: "pass", shown: [1, 2], card: null, gems: [] } as unknown as EntryOut;
    expect(sentences(entry, speaker).map((said) => plain(said, speaker)).at(-1)).toBe(expected);
    expect(sentences({ ...entry, shown: [] }, speaker)).toHaveLength(1);
  });
});

describe("a sentence of the log, read aloud", () => {
  const card = { number: 1, tier: 2, bonus: "g", points: 0, cost: [0, 0, 0, 0, 0], name: "", symbols: 0 };
  const onyx = { ...card, number: 2, bonus: "k", points: 1 };
  const wasp = { ...card, number: 3, bonus: "y", name: "Wasp" };
  const speakerOf = (theme: string, tile_kind: string) => ({
    data: { theme, letters: theme === "marvel" ? "ypbro*t" : "wugrk*", tile_kind, cards: [card, onyx, wasp], tiles: [face({ points: 3, name: "Knowhere" })] } as unknown as GameDataOut,
    name: () => "Anna",
  });
  const entryOf = (what: Partial<EntryOut>) =>
    ({ number: 1, kind: "move", seat: 0, text: "buy 1a", card: null, turned_up: null, tile: null, avengers: false, gems: [0, 0, 0, 0, 0, 0], ...what, shown: [], thought: null }) as unknown as EntryOut;

  test.each([
    ["classic", { card: 1, gems: [2, 0, 0, 0, 0, 1] }, "Anna buys an emerald card for 2 diamonds and 1 gold."],
    ["classic", { card: 2, turned_up: 1 }, "Anna buys an onyx card (1 point) for nothing. An emerald card is turned up."],
    ["classic", { card: 2, tile: 1 }, "Anna buys an onyx card (1 point) for nothing. Anna is visited by a noble."],
    ["marvel", { card: 3, tile: 1, avengers: true }, "Anna recruits Wasp for nothing. Anna takes Knowhere. Anna takes the Avengers tile."],
    ["classic", { text: "reserve 2?" }, "Anna reserves a card of tier 2."],
  ])("%s %j", (theme, what, expected) => {
    expect(spoken(entryOf(what), speakerOf(theme, theme === "marvel" ? "location" : "noble"))).toBe(expected);
  });

  test.each([
    ["classic", { text: "reserve 2?", gems: [0, 0, 0, 0, 0, 1] }, "Anna rezerwuje kartę poziomu 2 i bierze 1 znacznik złota."],
    ["classic", { text: "return w", gems: [1, 0, 0, 0, 0, 0] }, "Anna odkłada 1 diament."],
    ["marvel", { card: 3 }, "Anna werbuje postać Osa za darmo."],
  ])("%s %j in Polish", (theme, what, expected) => {
    overwriteGetLocale(() => "pl");
    expect(spoken(entryOf(what), speakerOf(theme, "noble"))).toBe(expected);
  });
});

test.each([
  ["en", "points", 1, "Goal: 1 point"],
  ["en", "points", 15, "Goal: 15 points"],
  ["en", "gauntlet", 16, "Goal: 16 points, a bonus of each colour, Time"],
  ["pl", "gauntlet", 16, "Cel: 16 pkt, bonus w każdym kolorze i kamień czasu"],
  ["pt", "points", 1, "Objetivo: 1 ponto"],
] as const)("the goal in %s: %s, %i", (locale, goal_kind, goal, expected) => {
  overwriteGetLocale(() => locale);
  expect(m.table_goal({ goal_kind, goal })).toBe(expected);
});

describe("what speaks for a move", () => {
  const card = { number: 7, tier: 2, bonus: "k", points: 2, cost: [0, 0, 0, 0, 0], name: "", symbols: 0 };
  const speaker = { data: { ...dataOf("noble", face({})), cards: [card] } as GameDataOut, name: () => "Ben" };
  const said = (code: AdvantageOut["code"], facts: AdvantageOut["facts"]) => plain(advantage({ code, facts }, speaker), speaker);

  test.each<[AdvantageOut["code"], AdvantageOut["facts"], string]>([
    ["tile", { tile: 1, points: 3 }, "Completes the noble (+3)"],
    ["denies", { seat: 1, points: 4 }, "Denies Ben 4 points"],
    ["points", { points: 1 }, "Brings 1 point"],
    ["affords", { card: 7, place: "2a" }, "Then you can buy an onyx card (2 points)"],
    ["nearer", { card: 7, place: "2a", left: 1 }, "Then 1 token is missing for an onyx card (2 points)"],
    ["tile_nearer", { tile: 1, left: 2 }, "Then 2 bonuses are missing for a noble"],
  ])("%s %j", (code, facts, expected) => {
    expect(said(code, facts)).toBe(expected);
  });

  test.each(["en", "pl", "is", "pt"] as const)("has words in %s", (locale) => {
    overwriteGetLocale(() => locale);
    for (const code of ["wins", "goal", "avengers", "cheaper", "wild", "free", "keeps"] as const)
      expect(said(code, { points: 3, cards: 4 })).toMatch(/^[^{}]{5,}$/);
  });
});

describe("chances as whole percents", () => {
  test.each([
    [[0.525, 0.475], 0, [53, 47]],
    [[0.475, 0.525], 1, [47, 53]],
    [[0.996, 0.004], 0, [100, 0]],
    [[0.334, 0.333, 0.333], 0, [33, 34, 33]],
    [[0.2549999, 0.2549999, 0.2449999, 0.245], 3, [26, 25, 24, 25]],
    [[0.5999999, 0.3999999], 0, [60, 40]],
  ])("%j for seat %i", (chances, own, expected) => {
    expect(percents(chances, own)).toEqual(expected);
  });
});

describe("what a bot thought", () => {
  const entry = (thought: Partial<ThoughtOut> | null): EntryOut => ({
    number: 1,
    kind: "move",
    seat: 1,
    text: "pass",
    card: null,
    turned_up: null,
    shown: [],
    tile: null,
    avengers: false,
    gems: [],
    undoes: null,
    turns: 0,
    at: 0,
    thought: thought && { bot: "legend", nodes: 12000, seconds: 0.5, instead_of: null, why: null, ...thought },
  });

  test.each([
    [null, null],
    [{}, null],
    [{ why: "short" as const }, "had little time to think"],
    [{ bot: "greedy", instead_of: "legend", why: "late" as const }, "moved by Greedy: Legend had no time"],
    [{ bot: "greedy", instead_of: "magpie", why: "failed" as const }, "moved by Greedy: Magpie gave no move"],
    [{ bot: "greedy", instead_of: "legend", why: "starting" as const }, "moved by Greedy: Legend was not ready yet"],
  ])("%j", (thought, expected) => {
    expect(weakened(entry(thought))).toBe(expected);
  });

  test("positions and time are told where they are known", () => {
    expect(thoughtOf(entry({}))).toBe("Positions considered: 12,000, time: 0.5 s");
    expect(thoughtOf(entry({ nodes: null }))).toBeNull();
    expect(thoughtOf(entry(null))).toBeNull();
  });
});
