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
    // Plotly is one chunk of some 1.4 MB on purpose, loaded when a chart is drawn.
    chunkSizeWarningLimit: 1_600,
  },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    dangerouslyIgnoreUnhandledErrors: false,
    css: false,
  },
});
