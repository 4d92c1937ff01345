import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { GLOSSARY } from "@/lib/glossary/glossary";

const entries: readonly { term: string; means: string; word?: string }[] = Object.values(GLOSSARY);

it("rests on words that docs/nomenclature.md defines", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/nomenclature.md"), "utf8");
  const words = new Set([...page.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].map(([, word = ""]) => word));
  expect(words.size).toBeGreaterThan(30);
  for (const { word } of entries) if (word !== undefined) expect(words).toContain(word);
});

it("explains each term once, in one or two sentences", () => {
  expect(new Set(entries.map(({ term }) => term)).size).toBe(entries.length);
  for (const { means } of entries) {
    expect(means).toMatch(/^[A-Z].*\.$/);
    expect(means.length).toBeLessThan(170);
    expect(means.split(/\. /).length).toBeLessThanOrEqual(2);
  }
});
