// A few printed cards of each theme for the page that opens first, which does not wait for a game's data.
import type { Theme } from "./types";
import type { CardOut } from "../api/messages";

export const SAMPLES: Record<Theme, CardOut[]> = {
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
