// Entries of the search: pages, found locally, and results of the service.

import type { Hit } from "@/api/generated";

export interface PageEntry {
  kind: "page";
  /** Address of the result. */
  id: string;
  name: string;
  note: string;
  /** Other words by which it is found. */
  also?: string;
}

export type Entry = PageEntry | Hit;

/** Kinds in display order, with the titles of their groups. */
const GROUPS: readonly [Entry["kind"], string][] = [
  ["page", "Pages"],
  ["plan", "Plans"],
  ["sweep", "Scenarios"],
  ["report", "Reports"],
  ["type", "Instance types"],
  ["volume", "Volume types"],
  ["member", "Members"],
];

/** Return the pages whose name, note or other words contain every word. */
export function pagesFor(pages: readonly PageEntry[], text: string): PageEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return pages.filter(({ name, note, also = "" }) => {
    const told = `${name} ${note} ${also}`.toLowerCase();
    return words.every((word) => told.includes(word));
  });
}

export interface Group {
  kind: Entry["kind"];
  title: string;
  entries: Entry[];
}

/** Sort results by kind, and keep the order within a kind. */
export function grouped(entries: readonly Entry[]): Group[] {
  return GROUPS.map(([kind, title]) => ({
    kind,
    title,
    entries: entries.filter((entry) => entry.kind === kind),
  })).filter((group) => group.entries.length > 0);
}

/** Return the index after an arrow key; it wraps around at the ends. */
export function moved(at: number, key: string, size: number): number {
  if (size === 0) return -1;
  if (key === "ArrowDown") return (at + 1) % size;
  if (key === "ArrowUp") return (at <= 0 ? size : at) - 1;
  return at;
}
