import { afterEach, expect, test, vi } from "vitest";
import { me, Refusal, rename } from "../../src/api/http";

afterEach(() => void vi.unstubAllGlobals());

test("who could not be renamed is still known", async () => {
  const answers = [Response.json({ name: "Anna" }), Response.json({ detail: "no", code: "bad_name" }, { status: 422 }), Response.json({ name: "Ben" })];
  vi.stubGlobal("fetch", () => Promise.resolve(answers.shift()));
  await expect(rename("...")).rejects.toBeInstanceOf(Refusal);
  expect(await me()).toEqual({ name: "Anna" });
  await rename("Ben");
  expect(await me()).toEqual({ name: "Ben" });
});
