import { svelte } from "@sveltejs/vite-plugin-svelte";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vite";

/** A message that is edited while `npm run dev` runs is seen at once.
 * @type {import('vite').Plugin} */
const watchMessages = {
  name: "watch-messages",
  handleHotUpdate({ file }) {
    if (/\/messages\/.*\.json$/.test(file)) execFileSync(process.execPath, ["scripts/compile-messages.mjs"]);
  },
};

/** Licences that allow what we do: their texts go along. Another one stops the build until somebody has read it. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "OFL-1.1"];

/** The licences of all packages that have a part in the client, fonts too, as licences.txt beside it.
 * @type {import('vite').Plugin} */
const collectLicences = {
  name: "collect-licences",
  apply: "build",
  generateBundle(_options, bundle) {
    const folder = /^(.*\bnode_modules\/((?:@[^/]+\/)?[^/]+))\//;
    const found = new Map();
    const fonts = Object.values(bundle).flatMap((part) => part.originalFileNames ?? []);
    for (const id of [...this.getModuleIds(), ...fonts]) {
      const [, path, name] = folder.exec(id.replace(/^\0/, "")) ?? [];
      if (path && name && existsSync(`${path}/package.json`)) found.set(name, path);
    }
    const texts = [...found].sort().map(([name, path]) => {
      const { license, version } = JSON.parse(readFileSync(`${path}/package.json`, "utf8"));
      const file = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
      if (!ALLOWED.includes(license) || !file) this.error(`${name}: the licence ${license} is not among ${ALLOWED.join(", ")}, or has no text`);
      return `${name} ${version} (${license})\n\n${readFileSync(`${path}/${file}`, "utf8").trim()}\n`;
    });
    this.emitFile({ type: "asset", fileName: "licences.txt", source: texts.join(`\n${"-".repeat(80)}\n\n`) });
  },
};

export default defineConfig({
  plugins: [watchMessages, collectLicences, svelte()],
  build: {
    outDir: "../src/cabochon/server/static",
    emptyOutDir: true,
    target: "es2022",
    // light-dark() as the themes write it
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // Fonts and pictures are files: the content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    // A message does nothing by being loaded, so each page loads only its own.
    rolldownOptions: { treeshake: { moduleSideEffects: (id) => !id.includes("/src/paraglide/") } },
  },
  server: {
    proxy: { "/api": { target: "http://127.0.0.1:8765", ws: true } },
  },
});
