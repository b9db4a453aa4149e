import { defineConfig, mergeConfig } from "vitest/config";
import vite from "./vite.config.mjs";

export default mergeConfig(vite, defineConfig({ test: { include: ["tests/**/*.test.ts"] } }));
