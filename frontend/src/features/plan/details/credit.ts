// Burst credit over a job: the courses of its phases, concatenated.

import type { ChartData } from "@/charts/Chart";
import { chartTable, percentCell, secondsCell, valueCell } from "@/charts/chartTable";
import type { CreditLine, CreditPhase } from "@/charts/figures/credit";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration, percent, threeDigits, usd } from "@/lib/wording";

/** Largest difference that is invisible on the chart, as a share of full credit. */
const NEAR = 0.005;

export interface CreditCourse {
  lines: CreditLine[];
  phases: CreditPhase[];
}

/** Concatenate the courses of a job, with one line for each kind of credit. */
export function creditCourse({ phases, courses }: Pick<Configuration, "phases" | "courses">): CreditCourse {
  const lines = new Map<string, CreditLine>();
  const placed: CreditPhase[] = [];
  let from_s = 0;
  for (const course of courses) {
    const length_s = phases.find(({ name }) => name === course.phase)?.time_s ?? course.times_s.at(-1) ?? 0;
    placed.push({ name: course.phase, from_s, to_s: from_s + length_s });
    const seen = new Map<string, number>();
    for (const { resource, unit, full, credit } of course.credits) {
      const name = `${resourceName(resource)} ${unit}`;
      const turn = seen.get(name) ?? 0;
      seen.set(name, turn + 1);
      const key = `${resource} ${unit} ${turn}`;
      const line = lines.get(key) ?? { key, label: resource, unit, full, kind: resourceKind(resource), points: [] };
      lines.set(key, line);
      for (const [index, time_s] of course.times_s.entries()) {
        const amount = Math.min(full, Math.max(0, credit[index] ?? 0));
        line.points.push({ phase: course.phase, time_s: from_s + time_s, amount, share: full > 0 ? amount / full : 0 });
      }
    }
    from_s += length_s;
  }
  return { lines: told([...lines.values()]), phases: placed };
}

/** Distinguish two kinds of credit of one resource by their units. */
function told(lines: CreditLine[]): CreditLine[] {
  return lines.map((line) => {
    const alone = lines.filter(({ label }) => label === line.label).length === 1;
    return alone ? line : { ...line, label: `${line.label}, ${line.unit === "I/O" ? "I/Os" : line.unit}` };
  });
}

/** Check if the credit changes, and is worth drawing. */
export function moves({ points }: CreditLine): boolean {
  const shares = points.map(({ share }) => share);
  return Math.max(...shares) - Math.min(...shares) > NEAR;
}

/** Describe the chart, one sentence for each line. */
export function creditWords({ lines, phases }: CreditCourse): string {
  const whole_s = phases.at(-1)?.to_s ?? 0;
  return lines.map((line) => lineWords(line, whole_s)).join(" ");
}

function lineWords(line: CreditLine, whole_s: number): string {
  const { label, points } = line;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return "";
  if (!moves(line)) return `${label}: ${stillWords(first.share)} from start to end.`;
  const out = points.find(({ share }) => share <= NEAR);
  if (out === undefined)
    return `${label}: ${percent(first.share)} of the full bucket at the start, ${percent(last.share)} at the end.`;
  if (out.time_s >= whole_s * (1 - NEAR)) return `${label}: used up just as the job ends.`;
  return `${label}: used up after ${duration(out.time_s)}; from there only the baseline is left.`;
}

function stillWords(share: number): string {
  if (share >= 1 - NEAR) return "the bucket stays full";
  return share <= NEAR ? "the bucket stays empty" : `the bucket stays at ${percent(share)}`;
}

/** Convert the courses to a table. */
export function creditTable({ lines }: CreditCourse): ChartData {
  const rows = lines.flatMap(({ label, unit, points }) => points.map((point) => ({ label, unit, ...point })));
  return chartTable(rows, (_, place) => String(place), [
    { head: "Resource", copied: "resource", cell: ({ label }) => label },
    { head: "Phase", copied: "phase", cell: ({ phase }) => phase },
    { head: "Time", copied: "time_s", number: true, cell: ({ time_s }) => secondsCell(time_s) },
    {
      head: "Credit",
      copied: "credit",
      number: true,
      cell: ({ amount, unit }) => valueCell(amount, threeDigits, unit),
    },
    { head: "Unit", copied: "unit", cell: ({ unit }) => unit },
    { head: "Of full", copied: "of_full_percent", number: true, cell: ({ share }) => percentCell(share) },
  ]);
}

/** Describe the job with empty buckets: `41 min for $412`; for an always-on cluster only the time. */
export function onEmptyWords({ on_empty }: Pick<Configuration, "on_empty">, objective: Objective): string | null {
  if (on_empty === null) return null;
  const time = duration(on_empty.time_s);
  return objective === "month" ? `${time} a run` : `${time} for ${usd(on_empty.cost_usd)}`;
}
