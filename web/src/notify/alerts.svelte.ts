// Telling the reader that it is their turn when they do not look: a notification, and a mark on the icon of the installed page.
import { m } from "../paraglide/messages";
import { keep, remembered } from "../ui/settings.svelte";
import { worker } from "../worker/client";
import { leaveWords, turnOffPush, turnOnPush } from "./push";

/** How often a visit renews the subscription, in milliseconds. */
const RENEW_AFTER = 12 * 3_600_000;

/** `impossible`: this browser allows none here, whatever its reader says. */
type Permission = NotificationPermission | "impossible";

const permission = (): Permission => (typeof Notification === "undefined" || !isSecureContext ? "impossible" : Notification.permission);

class Alerts {
  permission = $state<Permission>(permission());
  wanted = $state(remembered("alerts") === "on");
  /** Also while the page is closed. */
  pushes = $state(remembered("alerts.push") === "on");
  busy = $state(false);

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") void this.clear(location.pathname);
    });
  }

  get on() {
    return this.wanted && this.permission === "granted";
  }

  /** Asked for by the reader: browsers show their own question only then. */
  async turnOn() {
    this.busy = true;
    this.permission = await Notification.requestPermission();
    this.#want(this.permission === "granted");
    if (this.on) await this.#subscribe();
    this.busy = false;
  }

  async turnOff() {
    this.busy = true;
    this.#want(false);
    this.#setPushes(false);
    await turnOffPush();
    this.busy = false;
  }

  /** At a visit: a subscription is renewed, and the words follow the language. */
  renew() {
    if (!this.on) return;
    void leaveWords();
    if (Date.now() - Number(remembered("alerts.at") ?? 0) > RENEW_AFTER) void this.#subscribe();
  }

  /** It is the reader's turn at a table. Nothing is said to whoever looks at it. */
  async turn(address: string, body: string) {
    if (document.visibilityState === "visible" || !this.on) return;
    void navigator.setAppBadge?.(1).catch(() => undefined);
    const options = { body, tag: address, icon: "/icon-192.png", data: { address } };
    const registration = await worker();
    // Phones show only notifications of a service worker, and only those bring the page back.
    if (registration) await registration.showNotification(m.notify_turn(), options);
    else new Notification(m.notify_turn(), options);
  }

  /** The reader has come to the page at this address, or has moved there. */
  async clear(address: string) {
    void navigator.clearAppBadge?.().catch(() => undefined);
    if (!this.on) return;
    const registration = await worker();
    for (const shown of (await registration?.getNotifications({ tag: address })) ?? []) shown.close();
  }

  async #subscribe() {
    await leaveWords();
    keep("alerts.at", String(Date.now()));
    this.#setPushes(await turnOnPush());
  }

  #want(on: boolean) {
    this.wanted = on;
    keep("alerts", on ? "on" : null);
  }

  #setPushes(on: boolean) {
    this.pushes = on;
    keep("alerts.push", on ? "on" : null);
  }
}

export const alerts = new Alerts();
alerts.renew();
