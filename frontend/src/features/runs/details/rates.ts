// Current rates of nodes, collected while the page is open.

import type { Live, Run } from "@/api/runs/runs";
import type { Rate } from "@/features/runs/search";

/** Rates of one node at one time [MB/s]. */
export interface RateSample {
  at_ms: number;
  live: Live;
}

/** By node number, oldest first. */
export type Seen = Readonly<Record<number, readonly RateSample[]>>;

export const RATE_WORDS: Record<Rate, { name: string; field: keyof Live; kind: "network" | "local disk" }> = {
  received: { name: "Received", field: "received_mb_per_s", kind: "network" },
  sent: { name: "Sent", field: "sent_mb_per_s", kind: "network" },
  read: { name: "Read", field: "read_mb_per_s", kind: "local disk" },
  write: { name: "Written", field: "write_mb_per_s", kind: "local disk" },
};

/** Nodes report every few seconds, so this is at least half an hour. */
const MOST_SAMPLES = 600;

/** Add the current reports of a run. A report that is read several times counts once. */
export function seenAfter(before: Seen, run: Pick<Run, "nodes">): Seen {
  let after: Record<number, readonly RateSample[]> | null = null;
  for (const { node, live, heard_at } of run.nodes) {
    if (live === null || heard_at === null) continue;
    const at_ms = Date.parse(heard_at);
    const known = before[node] ?? [];
    if (Number.isNaN(at_ms) || at_ms <= (known.at(-1)?.at_ms ?? Number.NEGATIVE_INFINITY)) continue;
    after ??= { ...before };
    after[node] = [...known, { at_ms, live }].slice(-MOST_SAMPLES);
  }
  return after ?? before;
}

/** Metrics with at least one rate. */
export function ratesIn(seen: Seen): Rate[] {
  const samples = Object.values(seen).flat();
  return (Object.keys(RATE_WORDS) as Rate[]).filter((rate) =>
    samples.some(({ live }) => live[RATE_WORDS[rate].field] != null),
  );
}

/** One line per node, over seconds since the first report. */
export interface RateLine {
  node: number;
  times_s: number[];
  values: number[];
}

export function linesOf(seen: Seen, rate: Rate): RateLine[] {
  const { field } = RATE_WORDS[rate];
  const all = Object.entries(seen).map(([node, samples]) => ({
    node: Number(node),
    samples: samples.flatMap(({ at_ms, live }) => {
      const value = live[field];
      return value == null ? [] : [{ at_ms, value }];
    }),
  }));
  const begun_ms = Math.min(...all.flatMap(({ samples }) => samples.slice(0, 1).map(({ at_ms }) => at_ms)));
  return all
    .filter(({ samples }) => samples.length > 0)
    .map(({ node, samples }) => ({
      node,
      times_s: samples.map(({ at_ms }) => (at_ms - begun_ms) / 1_000),
      values: samples.map(({ value }) => value),
    }))
    .toSorted((a, b) => a.node - b.node);
}
