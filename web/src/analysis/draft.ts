// A position while it is edited. What follows from the rest, and whether it can be, is for the server to say.
import type { BoardOut, DraftIn, GameDataOut } from "../api/messages";

export type Draft = Required<Pick<DraftIn, "variant" | "players" | "house" | "start" | "turn" | "round" | "stage" | "market" | "tiles">> & {
  avengers: number | null;
  seats: { tokens: number[]; tableau: number[]; reserve: { tier: number; card: number | null; blind: boolean }[] }[];
};

const WITHOUT_TIME = 6;

/** The draft of a position that can be. */
export const draftOf = ({ variant, players, house, view }: BoardOut): Draft => ({
  variant,
  players,
  house,
  start: view.start,
  turn: view.turn,
  round: view.round,
  // That tokens must be returned follows from them.
  stage: view.stage === "return" ? "main" : view.stage,
  market: view.market.map((row) => [...row]),
  tiles: view.tiles.map((tile) => ({ ...tile })),
  avengers: view.avengers,
  seats: view.areas.map(({ tokens, tableau, reserve }) => ({
    tokens: tokens.slice(0, WITHOUT_TIME),
    tableau: [...tableau],
    reserve: reserve.map((held) => ({ ...held })),
  })),
});

/** An empty table. */
export const emptyDraft = (data: GameDataOut, players: number): Draft => ({
  variant: data.variant,
  players,
  house: { goal: null, take_fewer: false, open_reserves: true, token_limit: data.token_limit, hand_limit: data.hand_limit },
  start: 0,
  turn: 0,
  round: 1,
  stage: "main",
  market: [1, 2, 3].map(() => [null, null, null, null]),
  tiles: [],
  avengers: null,
  seats: Array.from({ length: players }, () => ({ tokens: [...data.letters].slice(0, WITHOUT_TIME).map(() => 0), tableau: [], reserve: [] })),
});

/** The cards that lie nowhere in the draft, by number. */
export function unused(draft: Draft, data: GameDataOut, tier: number | null): number[] {
  const used = new Set([
    ...draft.market.flat(),
    ...draft.seats.flatMap((seat) => [...seat.tableau, ...seat.reserve.map((held) => held.card)]),
  ]);
  return data.cards.filter((card) => (tier === null || card.tier === tier) && !used.has(card.number)).map((card) => card.number);
}
