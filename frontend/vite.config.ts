import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const api = process.env["STOWAGE_API"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { proxy: { "/api": api } },
  build: {
    outDir: "dist",
    // React, Mantine, the router and the frame of every page.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Browsers fetch six files at a time by HTTP/1.1: fewer chunks arrive sooner (bench/README.md, Lighthouse).
          groups: [
            { name: "first", tags: ["$initial"], priority: 2 },
            { name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 10_000, priority: 1 },
          ],
        },
      },
    },
  },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    alias: { "@tests": fileURLToPath(new URL("./tests", import.meta.url)) },
    setupFiles: ["tests/setup.ts"],
    // One jsdom and one import of React and Mantine per worker instead of one per file: a quarter of the CPU time.
    // tests/setup.ts puts back what a test may leave behind.
    pool: "threads",
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    // Ends a test that hangs. Tests await events, never a duration, so a slow machine does not come near it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    dangerouslyIgnoreUnhandledErrors: false,
    css: false,
  },
});
