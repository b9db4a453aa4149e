// Everything that is said about the game, in the reader's language.
import type { Variant } from "../api/http";
import type { AdvantageOut, BotOut, CardOut, ChatLineOut, EntryOut, GameDataOut, ReactIn, SeatOut, TileFaceOut, ViewOut } from "../api/messages";
import type { Theme } from "../art/types";
import { games } from "../session/games.svelte";
import { m } from "../paraglide/messages";
import { getLocale } from "../paraglide/runtime";
import { numberFormat } from "../ui/intl";

export const WILD = 5;

const GEM: Record<Theme, Record<string, [() => string, (input: { n: number }) => string]>> = {
  classic: {
    w: [m.gem_classic_w, m.gems_classic_w],
    u: [m.gem_classic_u, m.gems_classic_u],
    g: [m.gem_classic_g, m.gems_classic_g],
    r: [m.gem_classic_r, m.gems_classic_r],
    k: [m.gem_classic_k, m.gems_classic_k],
    "*": [m.gem_classic_wild, m.gems_classic_wild],
  },
  marvel: {
    y: [m.gem_marvel_y, m.gems_marvel_y],
    p: [m.gem_marvel_p, m.gems_marvel_p],
    b: [m.gem_marvel_b, m.gems_marvel_b],
    r: [m.gem_marvel_r, m.gems_marvel_r],
    o: [m.gem_marvel_o, m.gems_marvel_o],
    "*": [m.gem_marvel_wild, m.gems_marvel_wild],
    t: [m.gem_marvel_t, m.gems_marvel_t],
  },
};

export const gemName = (theme: Theme, letter: string) => GEM[theme][letter]?.[0]() ?? letter;
export const gemCount = (theme: Theme, letter: string, n: number) => GEM[theme][letter]?.[1]({ n }) ?? `${n} ${letter}`;
export const gameName = (variant: Variant) => m.game_title({ variant, title: games.of(variant).title });
export const gameShort = (variant: Variant) => m.game_short({ variant, title: games.of(variant).title });

export function listed(parts: readonly string[]): string {
  const last = parts.at(-1);
  if (last === undefined) return "";
  return parts.length === 1 ? last : m.and_({ list: parts.slice(0, -1).join(", "), last });
}

/** Counts by letter, as words: "2 diamonds and 1 ruby". */
export const gemList = (theme: Theme, counts: readonly number[], letters: string) => listed(gemCounts(theme, counts, letters));

const gemCounts = (theme: Theme, counts: readonly number[], letters: string) =>
  counts.flatMap((n, lane) => (n > 0 && letters[lane] ? [gemCount(theme, letters[lane], n)] : []));

/** The name of a character, as the rulebook of the language has it; other cards have none. */
export const cardName = (card: CardOut) => m.card_name({ name: card.name });

/** A card in a sentence: "an emerald card", or the name of the character. */
const cardInLog = (theme: Theme, card: CardOut) =>
  m.card_log({ theme, letter: card.bonus, gem: gemName(theme, card.bonus).toLocaleLowerCase(getLocale()), name: cardName(card) });

export function cardWords(theme: Theme, card: CardOut): string {
  const words = [m.card_words({ theme, gem: gemName(theme, card.bonus), tier: card.tier, name: cardName(card) })];
  if (card.points) words.push(m.card_points({ n: card.points }));
  if (card.symbols) words.push(m.card_symbols({ n: card.symbols }));
  return words.join(", ");
}

export function costWords(theme: Theme, counts: readonly number[], letters: string): string {
  const cost = gemList(theme, counts, letters);
  return cost ? m.card_cost({ cost }) : m.card_free();
}

/** What a tile asks for: points, bonuses of the colours it names, and bonuses of one colour more. */
function demandWords({ theme, letters }: GameDataOut, { prestige, demand, other }: TileFaceOut): string {
  const parts = gemCounts(theme, demand, letters);
  if (prestige) parts.unshift(m.table_points_n({ n: prestige }));
  if (other) parts.push(m.tile_other({ n: other, named: demand.some(Boolean) ? "yes" : "no" }));
  return listed(parts);
}

export const tileWords = (data: GameDataOut, tile: TileFaceOut) =>
  m.tile_words({
    tile_kind: data.tile_kind,
    name: tile.name,
    points: m.table_points_n({ n: tile.points }),
    demand: demandWords(data, tile),
  });

// The known bots by name; others introduce themselves.
const BOT: Record<string, [() => string, () => string]> = {
  random: [m.bot_random, m.bot_random_text],
  greedy: [m.bot_greedy, m.bot_greedy_text],
  apprentice: [m.bot_apprentice, m.bot_apprentice_text],
  pedlar: [m.bot_pedlar, m.bot_pedlar_text],
  merchant: [m.bot_merchant, m.bot_merchant_text],
  cutter: [m.bot_cutter, m.bot_cutter_text],
  jeweller: [m.bot_jeweller, m.bot_jeweller_text],
  master: [m.bot_master, m.bot_master_text],
  virtuoso: [m.bot_virtuoso, m.bot_virtuoso_text],
  legend: [m.bot_legend, m.bot_legend_text],
};
export const botName = (name: string) => BOT[name]?.[0]() ?? name[0].toUpperCase() + name.slice(1);
export const botText = (bot: BotOut) => {
  const text = BOT[bot.name]?.[1]() ?? `${bare(bot.character)}.`;
  return bot.rating === null ? text : `${text} ${m.bot_rating({ rating: bot.rating })}.`;
};

/** Who is offered first: a gentle one for a first game, a middling one otherwise; else whoever is in the middle of the list. */
export const firstOf = (bots: readonly BotOut[], ...wanted: string[]) =>
  wanted.find((name) => bots.some((bot) => bot.name === name)) ?? bots[Math.floor(bots.length / 2)]?.name;

export const seatName = (seat: SeatOut | undefined) =>
  !seat ? "" : seat.kind === "bot" ? (BOT[seat.name] ? botName(seat.name) : seat.name || botName(seat.bot ?? "")) : seat.name;

/** The seats with the names to show; bots that are called alike are numbered. */
export function named(seats: readonly SeatOut[]): SeatOut[] {
  const shown = seats.map(seatName);
  return seats.map((seat, i) => {
    const alike = shown.filter((name) => name === shown[i]).length > 1;
    const before = shown.slice(0, i).filter((name) => name === shown[i]).length;
    return seat.kind === "open" ? seat : { ...seat, name: alike ? `${shown[i]} ${before + 1}` : shown[i] };
  });
}

// Chat

const REACTION: Record<ReactIn["reaction"], () => string> = {
  hello: m.react_hello,
  nice: m.react_nice,
  thanks: m.react_thanks,
  oops: m.react_oops,
  wow: m.react_wow,
  good_game: m.react_good_game,
};
/** What can be said without words, in the order in which it is offered. */
export const REACTIONS = Object.keys(REACTION) as ReactIn["reaction"][];

export const reactionName = (reaction: ReactIn["reaction"]) => REACTION[reaction]();

/** The reaction a line is; null if it is a text, or one that only a newer server knows. */
export const reactionOf = ({ kind, text }: ChatLineOut): ReactIn["reaction"] | null =>
  kind === "reaction" ? (REACTIONS.find((reaction) => reaction === text) ?? null) : null;

/** A line of chat in words. */
export function chatWords(line: ChatLineOut): string {
  const reaction = reactionOf(line);
  return reaction ? reactionName(reaction) : line.text;
}

// Sentences

export type Piece =
  | { text: string }
  | { gems: readonly number[] }
  | { card: CardOut | null; tier: number }
  | { tile: TileFaceOut };

export interface Speaker {
  data: GameDataOut;
  name: (seat: number) => string;
}

const MARK = "\u0001";
const mark = (what: string) => MARK + what + MARK;

function pieces(text: string, parts: Record<string, Piece>): Piece[] {
  return text
    .split(MARK)
    .map((part, i) => (i % 2 ? (parts[part] ?? { text: part }) : { text: part }))
    .filter((piece) => !("text" in piece) || piece.text !== "");
}

/** The sentences of a log line, each with its gems, cards and tiles as pieces. */
export function sentences(entry: EntryOut, speaker: Speaker): Piece[][] {
  const { data } = speaker;
  const { theme } = data;
  const name = speaker.name(entry.seat);
  if (entry.kind === "undo") return [[{ text: m.log_undo({ name }) }]];
  if (entry.kind === "replace") return [[{ text: m.log_replace({ name }) }]];
  if (entry.kind === "back") return [[{ text: m.log_back({ name }) }]];
  if (entry.kind === "timeout") return [[{ text: m.log_timeout({ name }) }]];
  if (entry.kind === "resign") return [[{ text: m.log_resign({ name }) }]];
  const [verb, what] = entry.text.split(" ");
  const printed = entry.card ? (data.cards.find((card) => card.number === entry.card) ?? null) : null;
  const tile = entry.tile ? data.tiles.find((one) => one.number === entry.tile) : undefined;
  const shown = verb === "pass" ? entry.shown.map((number) => data.cards.find((card) => card.number === number)!) : [];
  const parts: Record<string, Piece> = {
    gems: { gems: entry.gems },
    ...Object.fromEntries(shown.map((one, i) => [`shown${i}`, { card: one, tier: one.tier }])),
    card: { card: printed, tier: printed?.tier ?? Number(what?.[0] ?? 1) },
    ...(tile ? { tile: { tile } } : {}),
  };
  const gems = mark("gems");
  const card = mark("card");
  const paid = entry.gems.some((n) => n > 0);
  const said: string[] = [];
  if (verb === "take") said.push(m.log_take({ name, gems }));
  else if (verb === "reserve") said.push(paid ? m.log_reserve_wild({ name, card, gems }) : m.log_reserve({ name, card }));
  else if (verb === "buy") said.push(paid ? m.log_buy({ theme, name, card, gems }) : m.log_buy_free({ theme, name, card }));
  else if (verb === "return") said.push(m.log_return({ name, gems }));
  else if (verb === "claim" && tile) said.push(m.log_claim({ name, tile: mark("tile") }));
  else if (verb === "pass") said.push(m.log_pass({ name }));
  else said.push(`${name}: ${entry.text}`);
  if (shown.length) said.push(m.log_shows({ name, cards: shown.map((_, i) => mark(`shown${i}`)).join(", ") }));
  if (tile && verb !== "claim") said.push(m.log_tile({ tile_kind: data.tile_kind, name, tile: mark("tile") }));
  if (entry.avengers) said.push(m.log_avengers({ name }));
  return said.map((text) => pieces(text, parts));
}

const number = (n: number) => numberFormat().format(n);

/** Why a bot's move was weaker than usual, and who stood in for it; nothing if it was not. */
export function weakened({ thought }: EntryOut): string | null {
  if (!thought?.why) return null;
  if (thought.why === "short") return m.log_bot_short();
  const names = { bot: botName(thought.bot), absent: botName(thought.instead_of ?? "?") };
  return { late: m.log_bot_late, failed: m.log_bot_failed, starting: m.log_bot_starting }[thought.why](names);
}

/** How much a bot thought; nothing if it does not say. */
export const thoughtOf = ({ thought }: EntryOut): string | null =>
  thought?.nodes ? m.log_bot_thought({ nodes: number(thought.nodes), seconds: number(thought.seconds) }) : null;

const bare = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Pieces in plain words. */
export const plain = (pieces: readonly Piece[], { data }: Speaker) =>
  bare(
    pieces
      .map((piece) => {
        if ("text" in piece) return piece.text;
        if ("gems" in piece) return gemList(data.theme, piece.gems, data.letters);
        if ("tile" in piece) return m.tile_log({ tile_kind: data.tile_kind, name: piece.tile.name });
        if (!piece.card) return m.card_back_log({ tier: piece.tier });
        const { card } = piece;
        const words = cardInLog(data.theme, card);
        return card.points ? `${words} (${m.card_points({ n: card.points })})` : words;
      })
      .join(""),
  );

/** The same in plain words. */
export function spoken(entry: EntryOut, speaker: Speaker): string {
  const { data } = speaker;
  const { theme } = data;
  const said = sentences(entry, speaker).map((sentence) => plain(sentence, speaker));
  const turned = entry.turned_up ? data.cards.find((card) => card.number === entry.turned_up) : undefined;
  if (turned) said.push(bare(m.log_turned_up({ card: cardInLog(theme, turned) })));
  const note = weakened(entry);
  if (note) said.push(bare(note));
  return said.map((text) => `${text}.`).join(" ");
}

// Hints

/** The number of the card a move is about; none for the top of a deck. */
function cardAt(place: string, view: ViewOut): number | null {
  if (place[0] === "@") return view.seat === null ? null : (view.areas[view.seat].reserve[Number(place[1]) - 1]?.card ?? null);
  return view.market[Number(place[0]) - 1]["abcd".indexOf(place[1])] ?? null;
}

/** A move that may be played, as the buttons call it. */
export function advised(move: string, view: ViewOut, { data }: Speaker): Piece[] {
  const { theme, letters } = data;
  const [verb, what = ""] = move.split(" ");
  if (verb === "pass") return [{ text: m.turn_pass_button() }];
  if (verb === "return") return [{ text: m.turn_return_one({ gem: gemName(theme, what) }) }];
  if (verb === "claim")
    return [{ text: m.turn_claim_one({ tile: tileWords(data, data.tiles[view.tiles[Number(what) - 1].number - 1]) }) }];
  if (verb === "take") {
    const gems = [...letters].map((letter) => [...what].filter((one) => one === letter).length);
    return [{ text: `${m.turn_confirm_take()} ` }, { gems }];
  }
  const number = cardAt(what, view);
  const card = number ? data.cards[number - 1] : null;
  return [{ text: `${verb === "buy" ? m.turn_buy({ theme }) : m.turn_reserve()} ` }, { card, tier: card?.tier ?? Number(what[0]) }];
}

// The types list the codes, so an advantage without words here does not compile.
type Facts = AdvantageOut["facts"];
const ADVANTAGES: Record<AdvantageOut["code"], (facts: Facts, speaker: Speaker) => string> = {
  wins: () => m.hint_wins(),
  goal: () => m.hint_goal(),
  tile: ({ points }, { data }) => m.hint_tile({ tile_kind: data.tile_kind, points }),
  avengers: ({ points }) => m.hint_avengers({ points }),
  points: ({ points }) => m.hint_points({ n: Number(points) }),
  denies: ({ seat, points }, { name }) => m.hint_denies({ name: name(Number(seat)), n: Number(points) }),
  affords: (_, { data }) => m.hint_affords({ theme: data.theme, card: mark("card") }),
  tile_nearer: ({ left }, { data }) => m.hint_tile_nearer({ tile_kind: data.tile_kind, n: Number(left) }),
  nearer: ({ left }) => m.hint_nearer({ card: mark("card"), n: Number(left) }),
  cheaper: ({ cards }) => m.hint_cheaper({ n: Number(cards) }),
  wild: (_, { data }) => m.hint_wild({ theme: data.theme }),
  free: () => m.hint_free(),
  keeps: (_, { data }) => m.hint_keeps({ theme: data.theme }),
};

/** What speaks for a move; cards as pieces. */
export function advantage({ code, facts }: AdvantageOut, speaker: Speaker): Piece[] {
  const card = speaker.data.cards.find((one) => one.number === facts.card) ?? null;
  return pieces(ADVANTAGES[code](facts, speaker), { card: { card, tier: card?.tier ?? 1 } });
}

/** The goal where there is little room. */
export const goalShort = (goal_kind: string, goal: number) =>
  goal_kind === "gauntlet" ? m.table_goal_short({ goal }) : m.table_goal({ goal_kind, goal });

/** Chances as whole percents that make 100; the own one is simply rounded. */
export function percents(chances: readonly number[], own: number): number[] {
  const exact = chances.map((chance) => 100 * chance);
  const whole = exact.map((n, seat) => (seat === own ? Math.round(n) : Math.floor(n)));
  const missing = 100 - whole.reduce((sum, n) => sum + n, 0);
  const others = whole.map((_, seat) => seat).filter((seat) => seat !== own);
  others.sort((a, b) => exact[b] - whole[b] - (exact[a] - whole[a]));
  for (const seat of others.slice(0, Math.max(0, missing))) whole[seat] += 1;
  return whole;
}

export const percent = (n: number) => numberFormat({ style: "percent" }).format(n / 100);
