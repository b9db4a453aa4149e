import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { stubPage } from "../session/page";

const kept = new Map<string, string>();
vi.mock("../../src/ui/settings.svelte", () => ({ keep: () => undefined, remembered: (key: string) => kept.get(key) ?? null }));
vi.mock("../../src/worker/client", () => ({ worker: () => Promise.resolve(null) }));
vi.mock("../../src/notify/push", () => ({ leaveWords: () => Promise.resolve(), turnOffPush: () => Promise.resolve(), turnOnPush: () => Promise.resolve(false) }));

const said: string[] = [];
const setAppBadge = vi.fn(() => Promise.resolve());
const clearAppBadge = vi.fn(() => Promise.resolve());

/** The alerts of a page that the reader looks at or not, and has allowed to alert or not. */
async function alertsOf({ visible, wanted }: { visible: boolean; wanted: boolean }) {
  vi.resetModules();
  (document as { visibilityState: string }).visibilityState = visible ? "visible" : "hidden";
  kept.clear();
  if (wanted) kept.set("alerts", "on");
  return (await import("../../src/notify/alerts.svelte")).alerts;
}

// The first import compiles the page, which may take longer than a test should.
beforeAll(() => {
  stubPage();
  return import("../../src/notify/alerts.svelte");
}, 60_000);
beforeEach(() => {
  stubPage();
  said.length = 0;
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("navigator", { setAppBadge, clearAppBadge });
  vi.stubGlobal("Notification", class {
    static permission = "granted";
    constructor(title: string, { body }: { body: string }) {
      said.push(`${title}: ${body}`);
    }
  });
});
afterEach(() => {
  vi.clearAllMocks();
  vi.unstubAllGlobals();
});

describe("one's turn", () => {
  test("is told and marked on the icon where the reader does not look", async () => {
    await (await alertsOf({ visible: false, wanted: true })).turn("/t/1", "against Ben");
    expect(setAppBadge).toHaveBeenCalledWith(1);
    expect(said).toEqual([expect.stringContaining("against Ben")]);
  });

  test("is neither told nor marked without consent", async () => {
    await (await alertsOf({ visible: false, wanted: false })).turn("/t/1", "against Ben");
    expect(setAppBadge).not.toHaveBeenCalled();
    expect(said).toEqual([]);
  });

  test("is not told to whoever looks", async () => {
    await (await alertsOf({ visible: true, wanted: true })).turn("/t/1", "against Ben");
    expect(setAppBadge).not.toHaveBeenCalled();
    expect(said).toEqual([]);
  });

  test("leaves no mark once the reader has come", async () => {
    await (await alertsOf({ visible: true, wanted: true })).clear("/t/1");
    expect(clearAppBadge).toHaveBeenCalled();
  });
});
