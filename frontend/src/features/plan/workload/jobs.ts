// Jobs: names, fields that apply, and possible durabilities.

import type { Choice } from "./choice";
import { HDFS, listIn, SHUFFLING, SPELLED_OUT } from "./fields";

export const JOBS: readonly (readonly [job: string, label: string])[] = [
  ["sort", "Sort"],
  ["mapreduce", "MapReduce or ETL"],
  ["hdfs-write", "Write to HDFS"],
  ["hdfs-read", "Read from HDFS"],
  ["append-log", "Append to a log"],
  ["random-io", "Random I/O"],
];

/** Left to the search: durability or purchase option. */
export const ANY = "any";

const DURABILITIES_OF: Record<string, readonly string[]> = {
  // Copies are set by the HDFS replication factor.
  "hdfs-write": ["none", "infrastructure", ANY],
  "hdfs-read": ["none", "infrastructure", ANY],
  "append-log": ["none", "application", "infrastructure", ANY],
  "random-io": ["none", "application", "infrastructure", ANY],
  [SPELLED_OUT]: ["none", "infrastructure", "object-store", ANY],
};
const ALL_DURABILITIES = ["none", "application", "infrastructure", "object-store", ANY];

export function isHdfs(job: string): boolean {
  return HDFS.includes(job);
}

export function isShuffling(job: string): boolean {
  return SHUFFLING.includes(job);
}

/** Return the possible durabilities of a job. */
export function durabilitiesOf(job: string): readonly string[] {
  return DURABILITIES_OF[job] ?? ALL_DURABILITIES;
}

/** Check if the output of a job is kept, and exposed to loss for a year. */
export function stays({ job, durability }: Choice): boolean {
  return isHdfs(job) || job === "append-log" || job === "random-io" || durability === "object-store";
}

/** Return the names of explicit phases; empty if invalid. */
export function phaseNames(text: string): string[] {
  const phases = listIn(text) ?? [];
  return phases.flatMap((phase) => {
    const name: unknown = typeof phase === "object" && phase !== null ? (phase as { name?: unknown }).name : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
