import { afterEach, beforeEach, expect, test, vi } from "vitest";

const blocked = {
  get: () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  },
  configurable: true,
};

beforeEach(() => void vi.resetModules());
afterEach(() => void vi.unstubAllGlobals());

test("what a browser refuses to store lasts as long as the page", async () => {
  Object.defineProperty(globalThis, "localStorage", blocked);
  const { store, stored } = await import("../../src/ui/storage");
  store("key", "value");
  expect(stored("key")).toBe("value");
  store("key", null);
  expect(stored("key")).toBeNull();
  delete (globalThis as Partial<typeof globalThis>).localStorage;
});

test("the language can be chosen although nothing is stored", async () => {
  Object.defineProperty(globalThis, "localStorage", blocked);
  const { getLocale, setLocale } = await import("../../src/ui/language");
  setLocale("pl");
  expect(getLocale()).toBe("pl");
  delete (globalThis as Partial<typeof globalThis>).localStorage;
});
