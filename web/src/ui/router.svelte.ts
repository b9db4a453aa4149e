// Pages by address, with the History API.

export type Page =
  | { name: "home" }
  | { name: "table"; id: string }
  | { name: "replay"; id: string }
  | { name: "review"; id: string }
  | { name: "rules" }
  | { name: "verify"; id: string }
  | { name: "seat"; id: string }
  | { name: "daily"; id: string }
  | { name: "duel"; id: string }
  | { name: "games" }
  | { name: "missing" };

function read(path: string): Page {
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  const [first, id, third] = parts;
  if (parts.length === 0) return { name: "home" };
  if (first === "rules" && parts.length === 1) return { name: "rules" };
  if (first === "t" && id && parts.length === 2) return { name: "table", id };
  if (first === "t" && id && third === "replay" && parts.length === 3) return { name: "replay", id };
  if (first === "review" && (parts.length <= 2 || (id === "t" && parts.length === 3))) return { name: "review", id: parts.slice(1).join("/") };
  if (first === "verify" && id && parts.length === 2) return { name: "verify", id };
  if (first === "s" && id && parts.length === 2) return { name: "seat", id };
  if (first === "daily" && parts.length <= 2) return { name: "daily", id: id ?? "" };
  if (first === "duel" && id && parts.length === 2) return { name: "duel", id };
  if (first === "games" && parts.length === 1) return { name: "games" };
  return { name: "missing" };
}

/** Whether there is a page at this address. */
export const isPage = (path: string) => read(path).name !== "missing";

let isOld = false;

/** The server has a newer client: the next page comes from there. */
export const updated = () => void (isOld = true);

class Router {
  page = $state.raw<Page>(read(location.pathname));
  query = $state.raw(new URLSearchParams(location.search));
  /** Something the page that sent us here wants the next one to know. */
  hint = $state.raw<string | null>(null);

  constructor() {
    addEventListener("popstate", () => this.#arrive(null));
  }

  go(address: string, hint: string | null = null) {
    if (isOld && hint === null) return location.assign(address);
    history.pushState(null, "", address);
    this.#arrive(hint);
    scrollTo(0, 0);
  }

  /** Another page instead of this one: the way back leads past it. */
  replace(address: string) {
    history.replaceState(null, "", address);
    this.#arrive(null);
    scrollTo(0, 0);
  }

  /** The same page at another moment: no entry in the history, nothing drawn anew. */
  replaceQuery(query: URLSearchParams) {
    const text = query.toString();
    history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
  }

  #arrive(hint: string | null) {
    this.hint = hint;
    this.query = new URLSearchParams(location.search);
    this.page = read(location.pathname);
  }
}

export const router = new Router();

/** Links inside the site change the page without loading it; everything else is the browser's. */
export function followLinks(event: MouseEvent) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || (link.hash && link.pathname === location.pathname)) return;
  event.preventDefault();
  router.go(link.pathname + link.search);
}
