// The page's side of the service worker (`service.ts`): when it is installed, and what happens when the server has a newer client.
import { updated } from "../ui/router.svelte";

/** A first visit has better things to do. */
const INSTALL_AFTER = 10_000;
/** A page that is loaded anew because a part of it was missing does so only once in this time. */
const ONCE_IN = 60_000;

let installed: Promise<ServiceWorkerRegistration | null> | null = null;

/** The service worker, installed if it is not there yet; none where there can be none: no HTTPS, nothing may be stored. */
export function worker(): Promise<ServiceWorkerRegistration | null> {
  installed ??= register();
  return installed;
}

async function register(): Promise<ServiceWorkerRegistration | null> {
  try {
    const registration = await navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" });
    watch(registration);
    return registration;
  } catch {
    return null;
  }
}

/** Install it when the page has been looked at for a while; one that is there already is asked for news at once. */
export function installWorker() {
  if (import.meta.env.DEV || !("serviceWorker" in navigator)) return;
  try {
    if (navigator.serviceWorker.controller) void worker();
    else setTimeout(() => void worker(), INSTALL_AFTER);
  } catch {
    // a browser that stores nothing may refuse even to be asked
  }
}

/** A worker that takes the place of another belongs to a newer client: the next page is loaded from the server. */
function watch(registration: ServiceWorkerRegistration) {
  const hadOne = navigator.serviceWorker.controller !== null;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (hadOne) updated();
  });
  addEventListener("online", () => void registration.update().catch(() => undefined));
}

/** A part of this client is not there any more: the server has a newer one. */
export function loadAnew(event: Event) {
  const now = Date.now();
  try {
    if (now - Number(sessionStorage.getItem("cabochon.loaded") ?? 0) < ONCE_IN) return;
    sessionStorage.setItem("cabochon.loaded", String(now));
  } catch {
    return; // it could not be told how often
  }
  event.preventDefault();
  location.reload();
}
