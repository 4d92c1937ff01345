// Reads questions with their answers from a file, and writes what the page says of each: tests/texts.tsx.
import { readFileSync, writeFileSync } from "node:fs";
import { JSDOM } from "jsdom";
import { createServer } from "vite";

// The page asks its own address for the team.
const { window } = new JSDOM("", { url: "http://stowage.test/" });
Object.assign(globalThis, { window, document: window.document });

const parse = (html) => new JSDOM(html).window.document;
const [asked, said] = process.argv.slice(2);
const server = await createServer({
  server: { middlewareMode: true, hmr: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  appType: "custom",
  logLevel: "error",
});
try {
  const { textsOf } = await server.ssrLoadModule("/tests/texts.tsx");
  writeFileSync(said, JSON.stringify(await textsOf(JSON.parse(readFileSync(asked, "utf8")), parse)));
} finally {
  await server.close();
}
