// Review of uploads: results to store.

import type { Judgement, Metric, Target } from "@/api/measurements/measurements";
import type { Upload, UploadReading } from "@/api/measurements/uploads";
import { counted } from "@/lib/wording";
import { type Draft, draftOf, guessedTarget, type HostGroup, type Placed, targetOf } from "./target";

/** Entries of the user: targets by group and by reading, and readings to leave out. */
export interface Said {
  groups: Readonly<Record<string, Draft>>;
  /** Readings whose target differs from their group's. */
  own: Readonly<Record<string, Draft>>;
  keep: Readonly<Record<string, boolean>>;
}

export const NOTHING_SAID: Said = { groups: {}, own: {}, keep: {} };

export function groupDraft(group: HostGroup, said: Said): Draft {
  return said.groups[group.key] ?? draftOf(group.guess);
}

/** Target of a reading; null while a field is missing or invalid. */
export function targetFor(placed: Placed, group: HostGroup | undefined, said: Said): Target | null {
  const own = said.own[placed.key];
  if (own !== undefined) return targetOf(own, placed.reading.needs).target;
  if (group === undefined) return guessedTarget(placed.reading);
  const draft = groupDraft(group, said);
  const { target } = targetOf(draft, group.needs);
  if (target === null) return null;
  const asked = new Set(placed.reading.needs.map(({ field }) => field));
  // The number of nodes is that of the reading (two for a network test, one for disks), unless the user changes it.
  const nodes = draft.nodes === draftOf(group.guess).nodes ? (placed.reading.guess.nodes.value ?? 1) : target.nodes;
  return {
    ...target,
    nodes,
    // A group's storage does not apply to tools that measure no storage.
    storage: asked.has("storage") || placed.reading.guess.storage.value !== null ? target.storage : null,
  };
}

/** Whether a reading is stored by default. */
export function keptByDefault({ known, status }: Pick<UploadReading, "known" | "status">): boolean {
  return known === null && status !== "failed";
}

export function isKept({ key, reading }: Placed, said: Said): boolean {
  return reading.known === null && (said.keep[key] ?? keptByDefault(reading));
}

/** Headline figures of a reading: those that are not statistics of another. */
export function headline(metrics: readonly Metric[], most = 3): Metric[] {
  const plain = metrics.filter(({ name }) => !name.includes("."));
  const rates = plain.filter(({ unit }) => unit !== "MB" && unit !== "us");
  const rest = plain.filter((metric) => !rates.includes(metric));
  return [...rates, ...rest, ...metrics.filter((metric) => !plain.includes(metric))].slice(0, most);
}

/** `5 files hold 12 measurements: 9 good, 2 doubtful, 1 that failed.` */
export function reviewSentence(
  uploads: readonly Upload[],
  placed: readonly Placed[],
  judged: ReadonlyMap<string, Judgement | null>,
): string {
  const files = counted(uploads.length, "file");
  if (placed.length === 0) return `Nothing was understood of ${files}.`;
  const tally = { good: 0, doubtful: 0, rejected: 0, known: 0, failed: 0, open: 0 };
  for (const { reading, key } of placed) {
    if (reading.known !== null) tally.known += 1;
    else if (reading.status === "failed") tally.failed += 1;
    else tally[judged.get(key)?.verdict ?? "open"] += 1;
  }
  const parts = [
    [tally.good, "good"],
    [tally.doubtful, "doubtful"],
    [tally.rejected, "rejected"],
    [tally.failed, tally.failed === 1 ? "of a run that failed" : "of runs that failed"],
    [tally.known, tally.known === 1 ? "that is here already" : "that are here already"],
    [tally.open, "not judged yet"],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, words]) => `${count} ${words}`);
  return `${files} ${uploads.length === 1 ? "holds" : "hold"} ${counted(placed.length, "measurement")}: ${parts.join(", ")}.`;
}
