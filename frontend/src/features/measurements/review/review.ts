// Review of uploads: results to store.

import type { Judgement, Metric, Target } from "@/api/measurements/measurements";
import type { Upload, UploadReading } from "@/api/measurements/uploads";
import { ApiProblem } from "@/api/problem";
import { counted } from "@/lib/wording";
import { sentence } from "@/ui/feedback/Refusal";
import {
  type Draft,
  type DraftField,
  type DraftProblems,
  draftOf,
  guessedTarget,
  type HostGroup,
  type Placed,
  targetOf,
} from "./target";

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

/** Verdicts by the key of a reading; null or missing if there is none yet. */
export type Judgements = ReadonlyMap<string, Judgement | null>;

/** Check if a reading is stored by default: neither failed nor rejected ones are. */
export function keptByDefault(
  { known, status }: Pick<UploadReading, "known" | "status">,
  judgement: Pick<Judgement, "verdict"> | null | undefined,
): boolean {
  return known === null && status !== "failed" && judgement?.verdict !== "rejected";
}

export function isKept({ key, reading }: Placed, said: Said, judged: Judgements): boolean {
  return reading.known === null && (said.keep[key] ?? keptByDefault(reading, judged.get(key)));
}

/** Path of a field in an error of the service, and the field of the form. */
const FIELDS: Readonly<Record<string, DraftField>> = {
  instance: "instance",
  region: "region",
  zone: "zone",
  nodes: "nodes",
  placement_group: "group",
  storage: "storage",
  "storage.disks": "disks",
  "storage.type": "type",
  "storage.size_gib": "size",
  "storage.iops": "iops",
  "storage.throughput_mib_per_s": "throughput",
  "storage.count": "count",
};

/** Return the messages of the service about a target, by field of the form. */
export function refusedFields(error: unknown): DraftProblems {
  const problems: DraftProblems = {};
  if (!(error instanceof ApiProblem)) return problems;
  for (const { path, message } of error.fields) {
    const field = FIELDS[/(?:^|\.)target\.(.*)$/.exec(path)?.[1] ?? ""];
    if (field !== undefined) problems[field] ??= sentence(message);
  }
  return problems;
}

/** Return the words of a refused request without the paths of its fields. */
export function refusedWords(error: unknown): string[] {
  return error instanceof ApiProblem ? [...new Set(error.fields.map(({ message }) => sentence(message)))] : [];
}

/** Headline figures of a reading: those that are not statistics of another. */
export function headline(metrics: readonly Metric[], most = 3): Metric[] {
  const plain = metrics.filter(({ name }) => !name.includes("."));
  const rates = plain.filter(({ unit }) => unit !== "MB" && unit !== "us");
  const rest = plain.filter((metric) => !rates.includes(metric));
  return [...rates, ...rest, ...metrics.filter((metric) => !plain.includes(metric))].slice(0, most);
}

/** `5 files hold 12 measurements: 9 good, 2 doubtful, 1 that failed.` */
export function reviewSentence(uploads: readonly Upload[], placed: readonly Placed[], judged: Judgements): string {
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
    [tally.open, "without instance details"],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, words]) => `${count} ${words}`);
  return `${files} ${uploads.length === 1 ? "holds" : "hold"} ${counted(placed.length, "measurement")}: ${parts.join(", ")}.`;
}
