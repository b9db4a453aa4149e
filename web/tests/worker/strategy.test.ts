import { expect, test } from "vitest";
import { isDown, strategyOf } from "../../src/worker/strategy";

const HERE = "https://games.example.org";
const strategy = (path: string, mode = "cors", method = "GET") => strategyOf(new URL(path, HERE), HERE, method, mode);

test.each([
  ["/", "navigate", "page"],
  ["/t/abc", "navigate", "page"],
  ["/t/abc/replay?at=4", "navigate", "page"],
  ["/api/tables/abc/record", "navigate", "none"],
  ["/assets/index-0g6vRKTB.css", "no-cors", "part"],
  ["/api/variants", "cors", "data"],
  ["/api/data/marvel", "cors", "data"],
  ["/api/tables/abc/replay?seat=1", "cors", "replay"],
  ["/api/tables/abc", "cors", "none"],
  ["/api/tables", "cors", "none"],
  ["/api/me", "cors", "none"],
  ["/sw.js", "same-origin", "none"],
  ["https://elsewhere.example/assets/x.js", "no-cors", "none"],
])("%s (%s) is %s", (path, mode, expected) => {
  expect(strategy(path, mode)).toBe(expected);
});

test("nothing but reading is touched", () => {
  for (const method of ["POST", "PUT", "DELETE", "HEAD"]) expect(strategy("/api/variants", "cors", method)).toBe("none");
});

test("a proxy may answer for a server that is down", () => {
  expect([200, 404, 429, 500, 502, 503, 504].filter(isDown)).toEqual([502, 503, 504]);
});
