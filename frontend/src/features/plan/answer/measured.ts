// Measured subjects of an answer, and the largest source of its uncertainty if that is only estimated.

import type { Figure, RankedAnswer } from "@/api/generated";
import { frameworkName } from "@/lib/frameworks";
import { day, listed } from "@/lib/wording";

/** Subjects by their place in the name of a quantity. */
const SUBJECTS: readonly (readonly [pattern: RegExp, subject: string])[] = [
  [/^framework\./, "framework"],
  [/object_store/, "object store"],
  [/ebs|volume/, "EBS"],
  [/storage|disk/, "disks"],
  [/network/, "network"],
  [/cpu|processor/, "CPU"],
];

/** Subjects by the beginning of the name of a source of the range. */
const DOUBTS: Readonly<Record<string, string>> = { storage: "disks", "EBS volumes": "EBS", "EBS link": "EBS" };

function subjectOf({ quantity }: Figure): string | undefined {
  return SUBJECTS.find(([pattern]) => pattern.test(quantity))?.[1];
}

/** Return the subject of the source that makes the range widest. */
function largestDoubt({ range_sources }: RankedAnswer): string | undefined {
  const [widest] = range_sources.toSorted((one, other) => other.log_deviation - one.log_deviation);
  const name = widest?.name.split(/:| error/)[0];
  return name === undefined || widest?.log_deviation === 0 ? undefined : (DOUBTS[name] ?? name);
}

function rateOf(subject: string, figures: readonly Figure[]): string {
  if (subject !== "framework") return subject;
  const key = figures.find(({ quantity }) => quantity.startsWith("framework."))?.quantity.split(".")[1];
  // The ideal framework has no rate of its own: what is estimated is what it leaves out.
  return key === "ideal" ? "overheads" : `${key === undefined ? "framework" : frameworkName(key)}’s rate`;
}

/**
 * Describe what is measured, with the year of the newest result, and the largest doubt if that is not:
 * `disks and CPU measured 2026, Spark’s rate estimated`; `all` lists the figures with their dates.
 */
export function measuredFact(row: RankedAnswer): { words: string; all: string } {
  const figures = row.provenance;
  const measured = figures.filter(({ kind, as_of }) => kind === "measured" && as_of !== null);
  const last = measured
    .map(({ as_of }) => as_of ?? "")
    .sort()
    .at(-1);
  const subjects = [...new Set(measured.flatMap((figure) => subjectOf(figure) ?? []))];
  const doubt = largestDoubt(row);
  const known = subjects.map((subject) => rateOf(subject, figures));
  const doubted = doubt === undefined || subjects.includes(doubt) ? "" : `, ${rateOf(doubt, figures)} estimated`;
  const words =
    last === undefined
      ? "nothing measured, only estimated"
      : `${known.length === 0 ? "" : `${listed(known)} `}measured ${last.slice(0, 4)}${doubted}`;
  const lines = (["measured", "estimated"] as const).flatMap((kind) => {
    const names = figures.filter((figure) => figure.kind === kind).map(figureWords);
    return names.length === 0 ? [] : [`${kind === "measured" ? "Measured" : "Estimated"}: ${names.join("; ")}.`];
  });
  const widest = doubt === undefined ? [] : [`Largest source of uncertainty: ${rateOf(doubt, figures)}.`];
  return { words, all: [...widest, ...lines].join("\n") };
}

function figureWords({ quantity, as_of }: Figure): string {
  return as_of === null ? quantity : `${quantity} (${day(as_of)})`;
}
