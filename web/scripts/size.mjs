// The first page may load at most 70 kB of script, packed.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MOST = 70_000;
const root = new URL("../../src/cabochon/server/static/", import.meta.url);
const seen = new Set();

function follow(path) {
  if (seen.has(path)) return;
  seen.add(path);
  const text = readFileSync(new URL(path, root), "utf8");
  for (const [, found] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) follow(`assets/${found}`);
}

const html = readFileSync(new URL("index.html", root), "utf8");
for (const [, path] of html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)) follow(path);
const total = [...seen].reduce((sum, path) => sum + gzipSync(readFileSync(new URL(path, root))).length, 0);
console.log(`first page: ${(total / 1000).toFixed(1)} kB of script, packed, in ${seen.size} files`);
if (total > MOST) {
  console.error(`more than ${MOST / 1000} kB`);
  process.exit(1);
}
