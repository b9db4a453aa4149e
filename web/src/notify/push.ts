// The subscription of this browser at its maker's push service, and the words for the service worker.
import { me, pushKey, subscribe, unsubscribe } from "../api/http";
import { m } from "../paraglide/messages";
import { worker } from "../worker/client";

/** Subscribe, or renew the subscription; whether this browser is told also while the page is closed. */
export async function turnOnPush(): Promise<boolean> {
  try {
    const registration = await worker();
    if (!registration || !("pushManager" in registration)) return false;
    const [{ key }] = await Promise.all([pushKey(), me()]);
    if (key === null) return false;
    const found = await subscriptionFor(registration.pushManager, key);
    const { endpoint, keys } = found.toJSON();
    await subscribe({ endpoint: endpoint ?? "", p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" });
    return true;
  } catch {
    return false; // no push service can be reached, or the server knows another
  }
}

async function subscriptionFor(manager: PushManager, key: string): Promise<PushSubscription> {
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(wanted);
  } catch (wrong) {
    // One for another server that was at this address before.
    const old = await manager.getSubscription();
    if (!old) throw wrong;
    await old.unsubscribe();
    return manager.subscribe(wanted);
  }
}

export async function turnOffPush() {
  try {
    const registration = await navigator.serviceWorker.getRegistration();
    const found = await registration?.pushManager.getSubscription();
    if (!found) return;
    await found.unsubscribe();
    await unsubscribe(found.endpoint);
  } catch {
    // a subscription that has ended is deleted when the server tries it
  }
}

/** Leave the words of the notifications where the service worker finds them, in the language of now. */
export async function leaveWords() {
  try {
    const cache = await caches.open("words");
    await cache.put("/words", Response.json({ turn: m.notify_turn(), over: m.notify_over() }));
  } catch {
    // nothing may be stored here: then there is no service worker either
  }
}
