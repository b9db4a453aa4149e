/** The cuts as path data on a 24 by 24 field. A cut is an outline and facets; a facet's tone says how much light it catches. */
import type { Theme } from "./types";

type Point = [number, number];
interface Facet {
  d: string;
  /** -1 dark to 1 light, relative to the base colour */
  tone: number;
}
export interface Cut {
  outline: string;
  facets: Facet[];
}

const TAU = 2 * Math.PI;
const MIDDLE: Point = [12, 12];

const path = (points: Point[]): string => "M" + points.map(([x, y]) => `${+x.toFixed(1)} ${+y.toFixed(1)}`).join("L") + "Z";
const around = (n: number, at: (angle: number) => Point): Point[] => Array.from({ length: n }, (_, i) => at((i * TAU) / n));
const scaled = (points: Point[], k: number, [cx, cy]: Point): Point[] =>
  points.map(([x, y]) => [cx + (x - cx) * k, cy + (y - cy) * k]);

/** Points on an ellipse, clockwise from `turn`. */
const oval = (n: number, rx: number, ry = rx, turn = 0): Point[] =>
  around(n, (a) => [12 + rx * Math.sin(a + turn), 12 - ry * Math.cos(a + turn)]);

/** Rounded square: a superellipse. */
const squircle = (n: number, rx: number, ry: number, power: number): Point[] => {
  const bend = (v: number) => Math.sign(v) * Math.abs(v) ** (2 / power);
  // Begins half a facet early, so that facets lie on the sides and on the corners.
  return around(n, (a) => [12 + rx * bend(Math.sin(a - TAU / 16)), 12 - ry * bend(Math.cos(a - TAU / 16))]);
};

/** A drop with its point on top; a larger `power` makes a longer neck. */
const drop = (n: number, width: number, power: number): Point[] =>
  around(n, (a) => [12 + width * Math.sin(a) * Math.sin(a / 2) ** power, 12 - 11 * Math.cos(a)]);

/** The light falls from the upper left. */
function lit(points: Point[], [cx, cy]: Point, strength: number): number {
  const x = points.reduce((sum, p) => sum + p[0] - cx, 0);
  const y = points.reduce((sum, p) => sum + p[1] - cy, 0);
  return (strength * (-0.55 * x - 0.83 * y)) / (Math.hypot(x, y) || 1);
}

interface Steps {
  /** sizes of the inner outlines, from the girdle to the table */
  to: number[];
  /** outline segments in one facet */
  group?: number;
  centre?: Point;
  strength?: number;
  table?: number;
}

/** Rings of facets from the outline inwards, and the table on top. */
function cut(outer: Point[], { to, group = 1, centre = MIDDLE, strength = 0.45, table = 0.3 }: Steps): Cut {
  const facets: Facet[] = [];
  let from = outer;
  to.forEach((size, level) => {
    const inner = scaled(outer, size, centre);
    for (let i = 0; i < outer.length; i += group) {
      const span = Array.from({ length: group + 1 }, (_, j) => (i + j) % outer.length);
      const corners = [...span.map((j) => from[j]), ...span.reverse().map((j) => inner[j])];
      facets.push({ d: path(corners), tone: lit(corners, centre, strength * (1 - 0.35 * level)) });
    }
    from = inner;
  });
  facets.push({ d: path(from), tone: table });
  return { outline: path(outer), facets };
}

/** Round brilliant: triangles between an octagonal girdle and a turned octagonal table. */
function brilliant(): Cut {
  const girdle = oval(8, 11);
  const table = oval(8, 6, 6, TAU / 16);
  const facets = girdle.flatMap((g, i) => {
    const [before, after, next] = [table[(i + 7) % 8], table[i], girdle[(i + 1) % 8]];
    const star: Point[] = [before, g, after];
    const kite: Point[] = [g, next, after];
    return [
      { d: path(star), tone: lit(star, MIDDLE, 0.4) - 0.08 },
      { d: path(kite), tone: lit(kite, MIDDLE, 0.5) - 0.2 },
    ];
  });
  return { outline: path(oval(32, 11)), facets: [...facets, { d: path(table), tone: 0.8 }] };
}

function cabochon(): Cut {
  const square = (size: number, corner: number) => {
    const [a, b] = [12 - size, 12 + size];
    return path([[a + corner, a], [b - corner, a], [b, a + corner], [b, b - corner], [b - corner, b], [a + corner, b], [a, b - corner], [a, a + corner]]);
  };
  return {
    outline: square(10, 1.6),
    facets: [
      { d: "M2 3.6L3.6 2H20.4L12 12L2 20.4Z", tone: 0.55 },
      { d: "M2 20.4L12 12L20.4 2L22 3.6V20.4L20.4 22H3.6Z", tone: 0.26 },
      { d: square(7.4, 1.4), tone: 0 },
      { d: "M6 13V8.4Q6 6 8.4 6H13Q7.6 7.6 6 13Z", tone: 0.85 },
      { d: "M18 12V16Q18 18 16 18H12Q16.6 16.6 18 12Z", tone: 0.24 },
    ],
  };
}

function coin(): Cut {
  const star = around(8, (a) => {
    const r = Math.round((a * 8) / TAU) % 2 ? 1.9 : 6.2;
    return [12 + r * Math.sin(a), 12 - r * Math.cos(a)] as Point;
  });
  const rim = cut(oval(32, 11), { to: [0.76], group: 4, strength: 0.5, table: 0.12 });
  return { ...rim, facets: [...rim.facets, { d: path(star), tone: -0.55 }] };
}

function ring(): Cut {
  const whole = cut(oval(24, 11), { to: [0.72, 0.42], group: 3, strength: 0.55 });
  const hole = path(oval(24, 11 * 0.42).reverse());
  return { outline: whole.outline + hole, facets: whole.facets.slice(0, -1) };
}

const cube = (): Cut => ({
  outline: "M12 1L21.5 6.5V17.5L12 23L2.5 17.5V6.5Z",
  facets: [
    { d: "M12 1L21.5 6.5L12 12L2.5 6.5Z", tone: 0.55 },
    { d: "M2.5 6.5L12 12V23L2.5 17.5Z", tone: 0.05 },
    { d: "M21.5 6.5L12 12V23L21.5 17.5Z", tone: -0.4 },
  ],
});

const OCTAGON: Point[] = [[8, 1], [16, 1], [20, 5], [20, 19], [16, 23], [8, 23], [4, 19], [4, 5]];
const KITE: Point[] = [[12, 0.8], [20.5, 9], [12, 23.2], [3.5, 9]];
const SHIELD: Point[] = [[2.5, 3], [12, 1.4], [21.5, 3], [21.3, 11], [18.6, 17.5], [12, 23], [5.4, 17.5], [2.7, 11]];

const CUTS: Record<Theme, Record<string, Cut>> = {
  classic: {
    w: brilliant(),
    u: cut(squircle(32, 11.4, 9.4, 3.4), { to: [0.58], group: 4, strength: 0.5, table: 0.42 }),
    g: cut(OCTAGON, { to: [0.72, 0.44], strength: 0.5, table: 0.5 }),
    r: cut(drop(24, 10.4, 0.85), { to: [0.5], group: 3, centre: [12, 14.4], strength: 0.45, table: 0.4 }),
    k: cabochon(),
    "*": coin(),
  },
  marvel: {
    y: cut(KITE, { to: [0.45], centre: [12, 9.6], strength: 0.4, table: 0.6 }),
    p: cut(oval(6, 11.2, 11.2, TAU / 12), { to: [0.55], strength: 0.5, table: 0.4 }),
    b: cube(),
    r: cut(drop(24, 12, 1.6), { to: [0.5], group: 3, centre: [12, 15.5], strength: 0.45, table: 0.4 }),
    o: cut(oval(24, 8, 11.2), { to: [0.55], group: 3, strength: 0.45, table: 0.5 }),
    "*": cut(SHIELD, { to: [0.74], strength: 0.4, table: 0.1 }),
    t: ring(),
  },
};

/** Any one colour, which is not said: a hexagon, a shape that stands for no gem of the classic game. */
export const ANY = "?";
const NEUTRAL = cut(oval(6, 11.2), { to: [0.6], strength: 0.4, table: 0.35 });

export const cutOf = (theme: Theme, letter: string): Cut => CUTS[theme][letter] ?? NEUTRAL;

/** The Avengers mark, our own: a figure with raised arms, on a 24 by 24 field. */
export const RALLY = "M1.5 8H7.5L12 16.5L16.5 8H22.5L14.5 23H9.5ZM12 1L15.5 5L12 9L8.5 5Z";
