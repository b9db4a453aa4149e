/** Scenes on a 100 by 140 card, drawn from a few parts and the card's number: the same number is always the same scene. */
import { lampColour, mix, NIGHT, tint } from "./colours";
import { cutOf } from "./gems";
import type { Theme } from "./types";

export interface Part {
  d: string;
  fill?: string;
  stroke?: string;
  width?: number;
  opacity?: number;
  transform?: string;
}

type Dice = (from: number, to: number) => number;

/** Numbers that look random and follow from the seed alone (mulberry32). */
function dice(seed: number): Dice {
  let a = seed * 0x9e3779b1;
  return (from, to) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return from + (((t ^ (t >>> 14)) >>> 0) / 4294967296) * (to - from);
  };
}

const n = (v: number): string => String(+v.toFixed(1));
const whole = (d: Dice, from: number, to: number): number => Math.floor(d(from, to + 1));
const rect = (x: number, y: number, w: number, h: number): string => `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}Z`;
/** The radius is rounded once: arcs that do not quite meet would bulge. */
function disc(x: number, y: number, radius: number): string {
  const r = Math.round(radius * 10) / 10;
  return `M${n(x - r)} ${n(y)}a${r} ${r} 0 1 0 ${n(2 * r)} 0a${r} ${r} 0 1 0 ${n(-2 * r)} 0Z`;
}
const arch = (x: number, y: number, w: number, h: number): string =>
  `M${n(x - w / 2)} ${n(y)}v${n(w / 2 - h)}a${n(w / 2)} ${n(w / 2)} 0 0 1 ${n(w)} 0v${n(h - w / 2)}Z`;

/** A mountain line from edge to edge, filled down to the foot of the card. */
function ridge(d: Dice, y: number, height: number, peaks: number): string {
  const step = 100 / peaks;
  let line = `M0 140V${n(y + d(-0.5, 0.5) * height)}`;
  for (let i = 0; i < peaks; i++) {
    line += `L${n((i + d(0.3, 0.7)) * step)} ${n(y - d(0.4, 1) * height)}L${n((i + 1) * step)} ${n(y + d(-0.2, 0.4) * height)}`;
  }
  return line + "V140Z";
}

/** Soft hills: as a ridge, with curves. */
const hills = (d: Dice, y: number, height: number): string =>
  `M0 140V${n(y + d(-1, 1) * height)}Q${n(d(15, 40))} ${n(y - height * d(0.6, 1.6))} ${n(d(45, 60))} ${n(y)}T100 ${n(y + d(-1, 0.6) * height)}V140Z`;

/** A crystal standing on (x, y), as its light and its dark half. */
function crystal(x: number, y: number, h: number, lean: number, colour: string): Part[] {
  const w = h * 0.2;
  const top = `${n(x + lean)} ${n(y - h)}`;
  const [left, right] = [`${n(x - w + lean * 0.7)} ${n(y - h * 0.72)}`, `${n(x + w + lean * 0.7)} ${n(y - h * 0.72)}`];
  const middle = `${n(x + lean * 0.6)} ${n(y - h * 0.64)}`;
  return [
    { d: `M${n(x - w)} ${n(y)}L${left}L${top}L${middle}L${n(x)} ${n(y)}Z`, fill: tint(colour, 0.35) },
    { d: `M${n(x + w)} ${n(y)}L${right}L${top}L${middle}L${n(x)} ${n(y)}Z`, fill: tint(colour, -0.18) },
  ];
}

function cluster(d: Dice, x: number, y: number, size: number, colour: string): Part[] {
  const count = whole(d, 2, 4);
  return Array.from({ length: count }, (_, i) => {
    const offset = i - (count - 1) / 2;
    return crystal(x + offset * size * 0.34, y, size * d(0.6, 1) * (offset ? 0.8 : 1.15), offset * size * 0.16, colour);
  }).flat();
}

/** Tier 1, inside: a lantern in a cave, and the stones it finds. */
function cave(d: Dice, colour: string): Part[] {
  const rock = mix("#6B5843", colour, 0.36);
  const [x, y] = [d(60, 74), d(84, 92)];
  const glow = [40, 29, 19].map((r, i) => ({ d: blob(d, x, y, r + d(-2, 2)), fill: mix(rock, "#FFD98C", 0.22 + 0.2 * i) }));
  const lamp = x + d(-9, 9);
  return [
    { d: rect(0, 0, 100, 140), fill: tint(rock, -0.42) },
    ...glow,
    { d: ridge(d, d(112, 117), 5, 4), fill: tint(rock, -0.3) },
    ...cluster(d, x + d(-12, -6), d(117, 120), d(22, 30), colour),
    ...leftBehind(d, x + d(10, 18), d(122, 126), colour),
    { d: ridge(d, d(126, 131), 4, 5), fill: tint(rock, -0.62) },
    { d: icicles(d), fill: tint(rock, -0.66) },
    { d: `M${n(lamp)} 32V${n(y - 20)}`, stroke: "#E3BC6A", width: 0.9 },
    { d: `M${n(lamp - 4)} ${n(y - 9)}h8l-1.5-9h-5ZM${n(lamp - 3)} ${n(y - 18)}l3-3.5l3 3.5Z`, fill: "#FFF3C9", stroke: "#8A6730", width: 1.2 },
  ];
}

/** More stones, a pick, or a cart full of stones. */
function leftBehind(d: Dice, x: number, y: number, colour: string): Part[] {
  const kind = whole(d, 0, 2);
  if (kind === 0) return cluster(d, x, y, d(17, 24), colour);
  if (kind === 1)
    return [
      { d: `M${n(x - 8)} ${n(y)}L${n(x + 4)} ${n(y - 24)}`, stroke: "#B98A4E", width: 2 },
      { d: `M${n(x - 7)} ${n(y - 22)}Q${n(x + 6)} ${n(y - 29)} ${n(x + 14)} ${n(y - 14)}Q${n(x + 4)} ${n(y - 22)} ${n(x - 7)} ${n(y - 22)}Z`, fill: "#D8D2C4", stroke: "#4A4036", width: 0.8 },
    ];
  return [
    ...cluster(d, x, y - 8, 13, colour),
    { d: `M${n(x - 10)} ${n(y - 12)}h20l-3 9h-14Z`, fill: "#6E4F33", stroke: "#D0A35C", width: 1.2 },
    { d: disc(x - 4.5, y - 1.5, 2.4) + disc(x + 4.5, y - 1.5, 2.4), fill: "#2A2018", stroke: "#D0A35C", width: 0.9 },
  ];
}

/** A rough disc: the edge of lamplight on rock. */
function blob(d: Dice, x: number, y: number, r: number): string {
  const corners = Array.from({ length: 11 }, (_, i) => {
    const reach = r * d(0.86, 1.1);
    return `${n(x + reach * Math.sin(i * 0.571))} ${n(y - reach * Math.cos(i * 0.571))}`;
  });
  return `M${corners.join("L")}Z`;
}

/** Rock hanging from the roof. */
const icicles = (d: Dice): string =>
  "M0 30" + Array.from({ length: 7 }, (_, i) => `L${n(i * 14.3)} ${n(d(34, 40))}L${n(i * 14.3 + d(5, 9))} ${n(d(42, 60))}`).join("") + "L100 38V30Z";

/** Tier 1, outside: a hillside, a timbered mouth, rails, and the stones in the rock. */
function mine(d: Dice, colour: string): Part[] {
  const rock = mix("#8A7355", colour, 0.34);
  const [x, w, h] = [d(62, 74), d(27, 34), d(34, 42)];
  const floor = d(116, 122);
  const square = d(0, 1) < 0.5;
  const mouth = square ? `M${n(x - w / 2)} ${n(floor)}l${n(w * 0.1)} ${n(-h)}h${n(w * 0.8)}l${n(w * 0.1)} ${n(h)}Z` : arch(x, floor, w, h);
  const parts: Part[] = [
    { d: rect(0, 0, 100, 140), fill: mix("#F0E0BC", colour, 0.2) },
    { d: disc(d(20, 85), d(38, 50), d(7, 10)), fill: "#FFF6DC", opacity: 0.9 },
    { d: ridge(d, d(54, 60), d(10, 16), whole(d, 2, 4)), fill: mix("#C3A878", colour, 0.3) },
    { d: ridge(d, d(70, 76), d(8, 14), whole(d, 2, 3)), fill: rock },
    { d: ridge(d, d(92, 98), d(4, 9), 3), fill: tint(rock, -0.16) },
  ];
  if (d(0, 1) < 0.45) parts.push(...headframe(d(74, 86), d(60, 66), tint(rock, -0.55)));
  for (let i = whole(d, 3, 5); i > 0; i--) {
    const [vx, vy, s] = [d(44, 96), d(72, 92), d(2, 4)];
    parts.push({ d: `M${n(vx)} ${n(vy - s)}l${n(s)} ${n(s)}l${n(-s)} ${n(s)}l${n(-s)} ${n(-s)}Z`, fill: tint(colour, d(0, 0.55)) });
  }
  parts.push(
    { d: mouth, fill: tint(rock, -0.78), stroke: mix("#C99A55", rock, 0.25), width: 3.4 },
    { d: `M0 ${n(floor)}H100V140H0Z`, fill: tint(rock, -0.42) },
    ...rails(x, floor, d(-10, 10), mix("#D9B878", rock, 0.2)),
    ...cluster(d, x + d(-4, 4), floor, d(15, 20), colour),
    ...cluster(d, x + (d(0, 1) < 0.5 ? -1 : 1) * d(17, 24), floor + d(4, 12), d(11, 16), colour),
  );
  return parts;
}

const rails = (x: number, y: number, lean: number, colour: string): Part[] => [
  { d: `M${n(x - 4)} ${n(y)}L${n(x - 12 + lean)} 140M${n(x + 4)} ${n(y)}L${n(x + 12 + lean)} 140`, stroke: colour, width: 1.4 },
  { d: [4, 10, 17].map((t) => `M${n(x - 6 - t * 0.4 + (lean * t) / 20)} ${n(y + t)}h${n(12 + t * 0.8)}`).join(""), stroke: colour, width: 1.2, opacity: 0.7 },
];

const headframe = (x: number, y: number, colour: string): Part[] => [
  { d: `M${n(x - 8)} ${n(y + 14)}L${n(x - 2)} ${n(y - 14)}H${n(x + 2)}L${n(x + 8)} ${n(y + 14)}M${n(x - 5)} ${n(y)}H${n(x + 5)}M${n(x - 7)} ${n(y + 8)}L${n(x + 4)} ${n(y - 4)}`, stroke: colour, width: 1.3 },
  { d: disc(x, y - 15, 4.4), stroke: colour, width: 1.3 },
];

/** Tier 2: a road to a far city, by day or by evening. */
function road(d: Dice, colour: string): Part[] {
  const evening = d(0, 1) < 0.4;
  const sky = mix(evening ? "#E9B98A" : "#DCE5E4", colour, 0.24);
  const land = mix(evening ? "#6E5A4C" : "#83906A", colour, 0.36);
  const horizon = d(80, 86);
  const goal = d(60, 82);
  const parts: Part[] = [
    { d: rect(0, 0, 100, 140), fill: sky },
    { d: disc(d(46, 90), d(48, 62), d(8, 12)), fill: evening ? "#FFE7B0" : "#FFF9E8" },
    { d: ridge(d, horizon - 10, d(10, 18), whole(d, 2, 4)), fill: mix(sky, land, 0.45) },
    { d: hills(d, horizon - 2, 3), fill: mix(sky, land, 0.78) },
    ...town(d, goal, horizon + 2, tint(mix(colour, land, 0.3), evening ? -0.5 : -0.2), tint(colour, 0.25)),
    { d: hills(d, horizon + 5, 2), fill: land },
    { d: winding(d, goal, horizon + 6), fill: mix("#F2E2BE", sky, 0.25) },
  ];
  const side = goal > 71 ? -1 : 1;
  for (let i = whole(d, 2, 4); i > 0; i--) parts.push(...cypress(goal + side * d(10, 28), d(100, 118), d(14, 22), tint(land, -0.45)));
  parts.push(...(d(0, 1) < 0.5 ? tents(d, d(56, 82), d(120, 128), colour) : caravan(d, d(44, 54), d(124, 132), tint(land, -0.65), colour)));
  return parts;
}

function winding(d: Dice, x: number, y: number): string {
  const [a, b, foot] = [d(-24, 24), d(-30, 10), d(40, 64)];
  return `M${n(x - 0.7)} ${n(y)}C${n(x + a)} ${n(y + 14)} ${n(foot + b)} ${n(y + 26)} ${n(foot - 13)} 140H${n(foot + 17)}C${n(foot + b + 24)} ${n(y + 26)} ${n(x + a + 8)} ${n(y + 14)} ${n(x + 0.9)} ${n(y)}Z`;
}

const cypress = (x: number, y: number, h: number, colour: string): Part[] => [
  { d: `M${n(x)} ${n(y - h)}Q${n(x + h * 0.24)} ${n(y - h * 0.3)} ${n(x)} ${n(y)}Q${n(x - h * 0.24)} ${n(y - h * 0.3)} ${n(x)} ${n(y - h)}Z`, fill: colour },
];

/** Towers with domes or spires. */
function town(d: Dice, x: number, y: number, wall: string, roof: string): Part[] {
  return Array.from({ length: whole(d, 3, 5) }, (_, i) => {
    const [w, h, tx] = [d(4, 7), d(7, 19), x + (i - 2) * 6.4 + d(-1, 1)];
    const dome = d(0, 1) < 0.5;
    const top = y - h;
    return [
      { d: rect(tx - w / 2, top, w, h), fill: wall },
      { d: dome ? arch(tx, top + 0.5, w, w * 0.62) : `M${n(tx - w / 2 - 0.6)} ${n(top)}L${n(tx)} ${n(top - w * 1.3)}L${n(tx + w / 2 + 0.6)} ${n(top)}Z`, fill: roof },
    ];
  }).flat();
}

const tents = (d: Dice, x: number, y: number, colour: string): Part[] =>
  Array.from({ length: whole(d, 1, 2) }, (_, i) => {
    const [s, tx] = [d(8, 12), x + i * 15];
    return [
      { d: `M${n(tx)} ${n(y - s * 1.25)}L${n(tx + s)} ${n(y)}H${n(tx - s)}Z`, fill: tint(colour, 0.3) },
      { d: `M${n(tx)} ${n(y - s * 1.25)}L${n(tx + s)} ${n(y)}H${n(tx + s * 0.25)}Z`, fill: tint(colour, -0.3) },
    ];
  }).flat();

/** Covered carts in file. */
const caravan = (d: Dice, x: number, y: number, dark: string, load: string): Part[] =>
  Array.from({ length: whole(d, 2, 3) }, (_, i) => {
    const ax = x + i * 18;
    return [
      { d: `M${n(ax)} ${n(y - 5)}q0-8 6.5-8t6.5 8Z`, fill: tint(load, 0.4) },
      { d: `M${n(ax - 0.5)} ${n(y - 5)}h16.5v1.2h-2.5v2.3h-14Z`, fill: dark },
      { d: disc(ax + 3.2, y - 1.4, 2.1) + disc(ax + 10, y - 1.4, 2.1), fill: dark, stroke: tint(load, 0.5), width: 0.6 },
    ];
  }).flat();

/** Tier 3: a workshop window, its light on the bench, and the work. */
function workshop(d: Dice, theme: Theme, letter: string, colour: string): Part[] {
  const wall = mix("#5C4434", colour, 0.3);
  const [x, w, h] = [d(62, 74), d(38, 48), d(52, 60)];
  const sill = d(98, 104);
  const light = mix("#FFEFC6", colour, 0.12);
  return [
    { d: rect(0, 0, 100, 140), fill: wall },
    { d: bricks(d), stroke: tint(wall, -0.22), width: 0.8 },
    ...windowParts(d, x, sill, w, h, light, tint(wall, -0.5), colour),
    { d: `M${n(x - w / 2)} ${n(sill)}L${n(x - w * 1.25)} 140H${n(x + w * 0.1)}L${n(x + w / 2)} ${n(sill)}Z`, fill: light, opacity: 0.22 },
    { d: rect(0, 118, 100, 22), fill: mix("#A87442", wall, 0.25) },
    { d: rect(0, 118, 100, 2), fill: "#E0B271", opacity: 0.8 },
    ...bench(d, theme, letter, colour),
  ];
}

const bricks = (d: Dice): string =>
  Array.from({ length: 7 }, () => `M${n(d(0, 90))} ${n(38 + 6 * whole(d, 0, 12))}h${n(d(5, 10))}`).join("");

function windowParts(d: Dice, x: number, y: number, w: number, h: number, light: string, frame: string, colour: string): Part[] {
  const round = d(0, 1) < 0.35;
  const shape = round ? disc(x, y - h / 2 + 2, w / 2) : d(0, 1) < 0.6 ? arch(x, y, w, h) : rect(x - w / 2, y - h, w, h);
  const [cx, cy] = [x, round ? y - h / 2 + 2 : y - h * 0.45];
  const bars = round
    ? Array.from({ length: 3 }, (_, i) => `M${n(cx - (w / 2) * Math.cos(i * 1.047))} ${n(cy - (w / 2) * Math.sin(i * 1.047))}L${n(cx + (w / 2) * Math.cos(i * 1.047))} ${n(cy + (w / 2) * Math.sin(i * 1.047))}`).join("")
    : `M${n(x)} ${n(y - h)}V${n(y)}M${n(x - w / 2)} ${n(cy)}h${n(w)}`;
  return [
    { d: shape, fill: light, stroke: frame, width: 4 },
    { d: disc(x + d(-10, 10), cy + d(-10, 4), d(4, 7)), fill: "#FFFBEE" },
    { d: bars, stroke: frame, width: 1.8 },
    { d: bars, stroke: tint(colour, 0.2), width: 0.5, opacity: 0.8 },
  ];
}

/** What lies on the bench: a stone on a stand, scales, or a loupe; the stone is the card's own. */
function bench(d: Dice, theme: Theme, letter: string, colour: string): Part[] {
  const [x, brass, size] = [d(62, 78), "#E3BC6A", d(1, 1.3)];
  const kind = whole(d, 0, 2);
  const stone = (sx: number, sy: number, s: number): Part[] => gemParts(theme, letter, colour, sx, sy, s);
  if (kind === 0) return [{ d: `M${n(x - 11)} 128l5-10h12l5 10Z`, fill: tint(colour, -0.5), stroke: brass, width: 1 }, ...stone(x, 106, size)];
  if (kind === 1)
    return [
      { d: `M${n(x)} 128V92M${n(x - 9)} 128h18M${n(x - 17)} 95L${n(x + 17)} 91M${n(x - 17)} 95l-5 15h10ZM${n(x + 17)} 91l-5 15h10Z`, stroke: brass, width: 1.5 },
      { d: `M${n(x - 23)} 110h12a6 6 0 0 1-12 0ZM${n(x + 11)} 106h12a6 6 0 0 1-12 0Z`, fill: brass },
      ...stone(x - 17, 105, 0.46),
    ];
  return [
    ...stone(x - 8, 119, size * 0.8),
    { d: disc(x + 9, 112, 9), fill: "#FFFFFF", opacity: 0.25 },
    { d: disc(x + 9, 112, 9) + `M${n(x + 15)} 119l8 9`, stroke: brass, width: 2.2 },
  ];
}

/** The stone itself as parts, centred on (x, y). */
function gemParts(theme: Theme, letter: string, colour: string, x: number, y: number, size: number): Part[] {
  const cut = cutOf(theme, letter);
  const transform = `translate(${n(x - 12 * size)} ${n(y - 12 * size)}) scale(${size.toFixed(2)})`;
  return [
    { d: cut.outline, fill: colour, stroke: tint(colour, -0.6), width: 1.6, transform },
    ...cut.facets.map((f) => ({ d: f.d, fill: tint(colour, f.tone), transform })),
  ];
}

/** The bonus stone as a lamp in the night, in a rosette of its own outlines. */
function emblem(d: Dice, theme: Theme, tier: number, letter: string, colour: string): Part[] {
  const [x, y] = [66, 88];
  const glow = lampColour(theme, letter);
  const petals = whole(d, 3, 4) + tier * whole(d, 1, 2);
  const outline = cutOf(theme, letter).outline;
  const [turn, near, size] = [d(0, 360), d(7, 13), d(0.8, 1.15) + tier * 0.1];
  const petal = (i: number, count: number, away: number, s: number, opacity: number): Part => ({
    d: outline,
    stroke: tint(colour, 0.15),
    width: 0.8 / s,
    opacity,
    transform: `translate(${x} ${y}) rotate(${n(turn + (i * 360) / count)}) translate(0 ${n(-away)}) scale(${n(s)}) translate(-12 -12)`,
  });
  const rosette = (count: number, away: number, s: number, opacity: number) => Array.from({ length: count }, (_, i) => petal(i, count, away, s, opacity));
  return [
    { d: rect(0, 0, 100, 140), fill: mix(NIGHT, glow, 0.1) },
    ...[46, 34, 23].map((r) => ({ d: disc(x, y, r + d(-2, 2)), fill: glow, opacity: 0.11 })),
    { d: stars(d), fill: "#DDE6FF", opacity: 0.7 },
    ...rosette(petals, near, size, 0.75),
    ...(tier > 1 ? rosette(petals, near + 16, size * 0.6, 0.5) : []),
    ...(tier > 2 ? [{ d: disc(x, y, near + 24) + disc(x, y, near + 26), stroke: tint(colour, 0.4), width: 0.6, opacity: 0.7 }] : []),
    ...gemParts(theme, letter, colour, x, y, 0.95),
  ];
}

const stars = (d: Dice): string => Array.from({ length: 9 }, () => disc(d(4, 96), d(50, 134), d(0.3, 0.8))).join("");

/** From the ground to the shop, tier by tier. */
function trade(d: Dice, theme: Theme, tier: number, letter: string, colour: string): Part[] {
  if (tier === 1) return d(0, 1) < 0.5 ? mine(d, colour) : cave(d, colour);
  return tier === 2 ? road(d, colour) : workshop(d, theme, letter, colour);
}

/** What a theme's cards show; the seeds keep cards of equal number apart. */
const SCENES: Record<Theme, { seed: number; draw: typeof trade }> = {
  classic: { seed: 0, draw: trade },
  marvel: { seed: 500, draw: emblem },
};

export function scene(theme: Theme, tier: number, number: number, letter: string, colour: string): Part[] {
  const { seed, draw } = SCENES[theme];
  return draw(dice(number + seed), theme, tier, letter, colour);
}
