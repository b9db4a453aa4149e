/** What differs between the themes in the drawing of cards, tokens and tiles; colours of gems are in colours.ts, their cuts in gems.ts. */
import { mix, NIGHT, tint } from "./colours";
import type { Theme } from "./types";

interface Style {
  /** what a token's face is mixed with, and how much of it */
  tokenFace: string;
  tokenShare: number;
  /** base lines of the points */
  pointsLine: number;
  tilePointsLine: number;
  /** how much darker than its gem a field of a tile is */
  fieldTint: number;
  back: {
    /** by tier */
    cloth: string[];
    line: string[];
    /** the gem of the rosette, and degrees between its outlines */
    rosette: string;
    turn: number;
    countLine: number;
  };
}

const LAMPS = ["#3CB371", "#EE8A2B", "#8E4FC4"];

export const STYLES: Record<Theme, Style> = {
  classic: {
    tokenFace: "#FBF4E4",
    tokenShare: 0.82,
    pointsLine: 28,
    tilePointsLine: 23.5,
    fieldTint: 0,
    back: { cloth: ["#46614C", "#8A6730", "#2F4A6E"], line: ["#E0BE7A", "#E0BE7A", "#E0BE7A"], rosette: "g", turn: 22.5, countLine: 72.5 },
  },
  marvel: {
    tokenFace: NIGHT,
    tokenShare: 0.8,
    pointsLine: 28,
    tilePointsLine: 24,
    fieldTint: -0.2,
    back: { cloth: LAMPS.map((lamp) => mix(NIGHT, lamp, 0.2)), line: LAMPS.map((lamp) => tint(lamp, 0.3)), rosette: "p", turn: 7.5, countLine: 73 },
  },
};
