// Names of reports by their origin.

import type { Origin } from "@/api/generated";
import type { ReportKind } from "@/api/reports";

export const KIND_WORDS: Record<ReportKind, string> = {
  plan: "Plan",
  comparison: "Plans compared",
  sweep: "Sweep",
  run: "Run",
  validation: "Model accuracy",
};

/** Words for the origin: `of the plan “Nightly sort”`. */
export function originWords({ kind, names }: Pick<Origin, "kind" | "names">): string {
  if (kind === "validation") return "of model accuracy";
  const quoted = names.map((name) => `“${name}”`);
  if (kind === "comparison") return `of the plans ${quoted.join(", ")}`;
  return quoted.length === 0 ? `of a ${kind}` : `of the ${kind} ${quoted.join(", ")}`;
}

/** Words for a change: an arrow, the amount, and whether it is good; color is never the only sign. */
export function wayWords(old: number, now: number, by: string, better: boolean | null): string {
  const arrow = now > old ? "▲ " : now < old ? "▼ " : "";
  const judged = better === null ? [] : [better ? "better" : "worse"];
  return arrow + [...(by === "" ? [] : [by]), ...judged].join(", ");
}
