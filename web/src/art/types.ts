/** The parts of the server's messages that the art draws; structurally the same as the generated types. */
export type Variant = "classic" | "marvel";

export interface CardOut {
  number: number;
  tier: number;
  bonus: string;
  points: number;
  cost: number[];
  name: string;
  symbols: number;
}

export interface TileFaceOut {
  number: number;
  points: number;
  demand: number[];
  name: string;
}
