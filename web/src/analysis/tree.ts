// A study as a tree of moves, and the same as a text short enough for a link.

/** A move of the tree: its text, the card it made known, a note, and what follows; the first that follows is the main line. */
export interface Branch {
  text: string;
  card: number | null;
  note: string;
  next: Branch[];
}

/** What is shared: where it begins, who sits where, all moves, and the place somebody is looking at, as a path of numbers. */
export interface Shared {
  position: string;
  names: string[];
  note: string;
  next: Branch[];
  at: number[];
}

/** Characters of a link that every browser, server and messenger takes. */
export const MAX_LINK = 8000;
const VERSION = 1;
const MAX_UNPACKED = 1_000_000;
const MAX_DEPTH = 1000;
const MAX_BRANCHES = 5000;
export const MAX_NOTE = 500;

type Row = [string, number, string, Row[]];

const rowOf = ({ text, card, note, next }: Branch): Row => [text, card ?? 0, note, next.map(rowOf)];

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    // A short link can hold very much of the same.
    if (size > MAX_UNPACKED) throw new Error("too long");
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A study as the fragment of a link: JSON, deflated, in the letters of base64url. */
export async function packed({ position, names, note, next, at }: Shared): Promise<string> {
  const text = JSON.stringify([VERSION, position, names, note, next.map(rowOf), at]);
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The study of a fragment; null if it is none. Whether its moves can be played is for the server to say. */
export async function unpacked(fragment: string): Promise<Shared | null> {
  try {
    const letters = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const found: unknown = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    if (!Array.isArray(found) || found[0] !== VERSION || typeof found[1] !== "string") return null;
    const [, position, names, note, rows, at] = found as [number, string, unknown, unknown, unknown, unknown];
    const count = { left: MAX_BRANCHES };
    const next = branches(rows, 0, count);
    if (!next) return null;
    return { position, names: texts(names, 24).slice(0, 4), note: typeof note === "string" ? note.slice(0, MAX_NOTE) : "", next, at: numbers(at) };
  } catch {
    return null;
  }
}

const texts = (value: unknown, longest: number): string[] =>
  Array.isArray(value) ? value.map((one) => (typeof one === "string" ? one.slice(0, longest) : "")) : [];
const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.filter((one): one is number => Number.isInteger(one)) : []);

function branches(rows: unknown, depth: number, count: { left: number }): Branch[] | null {
  if (!Array.isArray(rows) || depth > MAX_DEPTH) return null;
  const found: Branch[] = [];
  for (const row of rows as unknown[]) {
    if (!Array.isArray(row) || typeof row[0] !== "string" || (count.left -= 1) < 0) return null;
    const next = branches(row[3] ?? [], depth + 1, count);
    if (!next) return null;
    const card = Number.isInteger(row[1]) && (row[1] as number) > 0 ? (row[1] as number) : null;
    found.push({ text: row[0].slice(0, 100), card, note: typeof row[2] === "string" ? row[2].slice(0, MAX_NOTE) : "", next });
  }
  return found;
}
