// After `vite build`: the service worker, which knows the files of this very build, and the sentences the server shows of a link.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const web = new URL("../", import.meta.url);
const out = new URL("../src/cabochon/server/static/", web);
const json = (path) => JSON.parse(readFileSync(new URL(path, web), "utf8"));

const { locales } = json("messages/languages.json");
const sentences = (m) => ({ join: m.preview_join, watch: m.preview_watch, over: m.preview_over });
const previews = Object.fromEntries(locales.map((locale) => [locale, sentences(json(`messages/${locale}.json`))]));
writeFileSync(new URL("preview.json", out), JSON.stringify(previews));

const parts = readdirSync(new URL("assets/", out)).map((name) => `/assets/${name}`);
const files = ["/index.html", "/favicon.svg", "/manifest.webmanifest", "/icon-192.png", ...parts.sort()];
const hash = createHash("sha256");
for (const path of [...files.map((file) => new URL(`.${file}`, out)), new URL("src/worker/", web)].flatMap(leaves)) hash.update(readFileSync(path));

function leaves(url) {
  return url.href.endsWith("/") ? readdirSync(url).map((name) => new URL(name, url)) : [url];
}

await build({
  configFile: false,
  root: fileURLToPath(web),
  publicDir: false,
  logLevel: "warn",
  define: { BUILD: JSON.stringify(hash.digest("hex").slice(0, 12)), FILES: JSON.stringify(files) },
  build: {
    outDir: fileURLToPath(out),
    emptyOutDir: false,
    target: "es2022",
    rollupOptions: { input: fileURLToPath(new URL("src/worker/service.ts", web)), output: { format: "iife", entryFileNames: "sw.js" } },
  },
});
