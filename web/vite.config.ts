import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Paraglide makes new plural rules for every text, which took a third of the page's time; one set for a language is enough. */
const keepPluralRules: Plugin = {
  name: "keep-plural-rules",
  transform(code, id) {
    if (!id.endsWith("/paraglide/registry.js")) return;
    const making = "new Intl.PluralRules(locale, options)";
    if (!code.includes(making)) this.error(`${id} makes no plural rules any more: this plugin can go`);
    return `const kept = {};\n${code.replace(making, `(kept[locale + JSON.stringify(options)] ??= ${making})`)}`;
  },
};

export default defineConfig(({ mode }) => ({
  plugins: [
    // Unit tests use what `npm run compile-messages` made; the plugin would keep them from ending.
    mode !== "test" &&
      paraglideVitePlugin({
        project: "./project.inlang",
        outdir: "./src/paraglide",
        strategy: ["custom-kept", "preferredLanguage", "baseLocale"],
      }),
    keepPluralRules,
    svelte(),
  ],
  build: {
    outDir: "../src/cabochon/server/static",
    emptyOutDir: true,
    target: "es2022",
    // light-dark() as the themes write it
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // Fonts and pictures are files: the content security policy allows no data: URLs.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: { "/api": { target: "http://127.0.0.1:8765", ws: true } },
  },
  test: { include: ["tests/**/*.test.ts"] },
}));
