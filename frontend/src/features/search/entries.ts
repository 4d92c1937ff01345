// Entries of the search: pages, found locally, and results of the service.

import type { Hit } from "@/api/teams/audit";

export interface PageEntry {
  kind: "page";
  /** Where it is. */
  id: string;
  name: string;
  note: string;
}

export type Entry = PageEntry | Hit;

/** The kinds in the order in which they are listed, with what a group of them is called. */
const GROUPS: readonly [Entry["kind"], string][] = [
  ["page", "Pages"],
  ["plan", "Plans"],
  ["sweep", "Sweeps"],
  ["report", "Reports"],
  ["type", "Instance types"],
  ["volume", "Volume types"],
  ["member", "Members"],
];

/** Find the pages whose name or note holds every word. */
export function pagesFor(pages: readonly PageEntry[], text: string): PageEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return pages.filter(({ name, note }) => {
    const told = `${name} ${note}`.toLowerCase();
    return words.every((word) => told.includes(word));
  });
}

export interface Group {
  kind: Entry["kind"];
  title: string;
  entries: Entry[];
}

/** Order what was found by kind; within a kind it stays as it was. */
export function grouped(entries: readonly Entry[]): Group[] {
  return GROUPS.map(([kind, title]) => ({
    kind,
    title,
    entries: entries.filter((entry) => entry.kind === kind),
  })).filter((group) => group.entries.length > 0);
}

/** Where an arrow key leads from here; past the ends it wraps around. */
export function moved(at: number, key: string, size: number): number {
  if (size === 0) return -1;
  if (key === "ArrowDown") return (at + 1) % size;
  if (key === "ArrowUp") return (at <= 0 ? size : at) - 1;
  return at;
}
