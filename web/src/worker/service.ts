// The service worker: the client, the rules and the replays that were looked at work without the server, and a push becomes a
// notification.
//
// A page always comes from the server if that answers, so that nobody plays with an old client at a newer server. What is kept of a
// client belongs together: all of one build, in one cache, which goes when the worker of another build has taken over.
import { isDown, strategyOf } from "./strategy";

declare const self: ServiceWorkerGlobalScope;
/** Written by the build: its name, and the files of the client. */
declare const BUILD: string;
declare const FILES: string[];

const CLIENT = `client-${BUILD}`;
const REPLAYS = "replays";
const WORDS = "words";
const KEPT = [CLIENT, REPLAYS, WORDS];
const MAX_REPLAYS = 30;
const SHELL = "/index.html";
const WORDS_ADDRESS = "/words";

// From its installation to its end

self.addEventListener("install", (event) => {
  event.waitUntil(keepClient().then(() => self.skipWaiting()));
});

async function keepClient() {
  const cache = await caches.open(CLIENT);
  await cache.addAll(FILES.map((path) => new Request(path, { cache: path.startsWith("/assets/") ? "default" : "reload" })));
  await keepData(cache).catch(() => undefined);
}

/** What the rules page needs. */
async function keepData(cache: Cache) {
  const variants = await fetch("/api/variants");
  await cache.put("/api/variants", variants.clone());
  const names = ((await variants.json()) as { name: string }[]).map(({ name }) => `/api/data/${name}`);
  await cache.addAll(names);
}

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldClients().then(() => self.clients.claim()));
});

async function dropOldClients() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => !KEPT.includes(name)).map((name) => caches.delete(name)));
}

// Requests

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const answer = {
    page: () => page(request),
    part: () => part(request),
    data: () => newest(request, CLIENT),
    replay: () => newest(request, REPLAYS),
    none: null,
  }[strategyOf(new URL(request.url), self.location.origin, request.method, request.mode)];
  if (answer) event.respondWith(answer());
});

async function page(request: Request): Promise<Response> {
  const kept = () => caches.match(SHELL, { cacheName: CLIENT });
  try {
    const answer = await fetch(request);
    return isDown(answer.status) ? ((await kept()) ?? answer) : answer;
  } catch (wrong) {
    const found = await kept();
    if (found) return found;
    throw wrong;
  }
}

const part = async (request: Request) => (await caches.match(request, { cacheName: CLIENT })) ?? fetch(request);

async function newest(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(name);
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      await cache.put(request, answer.clone());
      if (name === REPLAYS) await dropOldReplays(cache);
    }
    return isDown(answer.status) ? ((await cache.match(request)) ?? answer) : answer;
  } catch (wrong) {
    const found = await cache.match(request);
    if (found) return found;
    throw wrong;
  }
}

async function dropOldReplays(cache: Cache) {
  const kept = await cache.keys();
  await Promise.all(kept.slice(0, Math.max(0, kept.length - MAX_REPLAYS)).map((request) => cache.delete(request)));
}

// Notifications

interface Pushed {
  kind: "turn" | "over";
  table: string;
  game: string;
  names: string[];
}

self.addEventListener("push", (event) => {
  event.waitUntil(tell((event.data?.json() ?? {}) as Partial<Pushed>));
});

async function tell({ kind = "turn", table = "", game = "", names = [] }: Partial<Pushed>) {
  const address = `/t/${table}`;
  const windows = await self.clients.matchAll({ type: "window" });
  if (windows.some((one) => one.visibilityState === "visible" && new URL(one.url).pathname === address)) return;
  await self.registration.showNotification((await words())[kind] ?? game, {
    body: [game, ...names].join(" · "),
    tag: address,
    icon: "/icon-192.png",
    badge: "/icon-192.png",
    data: { address },
  });
  if (kind === "turn") await self.navigator.setAppBadge?.().catch(() => undefined);
}

/** The titles in the reader's language; the page has left them here. */
async function words(): Promise<Record<string, string>> {
  const kept = await caches.match(WORDS_ADDRESS, { cacheName: WORDS });
  return kept ? ((await kept.json()) as Record<string, string>) : {};
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show((event.notification.data as { address: string }).address));
});

async function show(address: string) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((one) => new URL(one.url).pathname === address);
  await (there ? there.focus() : self.clients.openWindow(address));
}
