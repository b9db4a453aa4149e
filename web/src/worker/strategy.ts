// What the service worker does with a request, by its address alone.

/**
 * - `page`: from the server; if it does not answer, the client that was kept.
 * - `part`: a file whose name changes with its content: what was kept is as good as new.
 * - `data`: from the server; if it does not answer, what it said last.
 * - `replay`: the same, for the games that were looked at.
 * - `none`: the browser's business.
 */
export type Strategy = "page" | "part" | "data" | "replay" | "none";

const REPLAY = /^\/api\/tables\/[^/]+\/replay$/;
const DATA = /^\/api\/(variants$|data\/)/;
const SERVER_DOWN = [502, 503, 504];

export function strategyOf(url: URL, origin: string, method: string, mode: string): Strategy {
  if (url.origin !== origin || method !== "GET") return "none";
  const { pathname } = url;
  if (mode === "navigate") return pathname.startsWith("/api/") ? "none" : "page";
  if (pathname.startsWith("/assets/")) return "part";
  if (REPLAY.test(pathname)) return "replay";
  return DATA.test(pathname) ? "data" : "none";
}

/** A proxy answers for a server that is down. */
export const isDown = (status: number) => SERVER_DOWN.includes(status);
