// A few printed cards and tiles for pages that have no game: numbers as in the data of both games.
import type { Variant } from "../api/http";
import type { CardOut, TileFaceOut } from "../api/messages";

export const SAMPLES: Record<Variant, CardOut[]> = {
  classic: [
    { number: 26, tier: 1, bonus: "r", points: 0, cost: [2, 0, 0, 2, 0], name: "", symbols: 0 },
    { number: 60, tier: 2, bonus: "r", points: 2, cost: [1, 4, 2, 0, 0], name: "", symbols: 0 },
    { number: 76, tier: 3, bonus: "u", points: 4, cost: [6, 3, 0, 0, 3], name: "", symbols: 0 },
  ],
  marvel: [
    { number: 26, tier: 1, bonus: "r", points: 0, cost: [1, 0, 0, 2, 0], name: "Rocket", symbols: 0 },
    { number: 60, tier: 2, bonus: "r", points: 2, cost: [2, 1, 4, 0, 0], name: "Ghost Rider", symbols: 0 },
    { number: 76, tier: 3, bonus: "p", points: 4, cost: [3, 6, 3, 0, 0], name: "Thor", symbols: 2 },
  ],
};

export const SAMPLE_TILE: Record<Variant, TileFaceOut> = {
  classic: { number: 3, points: 3, demand: [3, 3, 3, 0, 0], name: "" },
  marvel: { number: 5, points: 3, demand: [3, 0, 3, 3, 0], name: "Knowhere" },
};
