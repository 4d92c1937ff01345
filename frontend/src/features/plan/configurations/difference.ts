// Differences between two configurations, in words.

import { threeDigits } from "@/lib/wording";
import type { Money } from "./money";
import type { Configuration } from "./useConfigurations";

/** Smaller differences are irrelevant to a decision. */
const SAME = 0.005;

/** Format the relative difference of a value, without naming it: `+12%`, `−38%`, `same`, `3.2 ×`. */
export function percentWords(value: number, reference: number): string {
  const change = value / reference - 1;
  if (!Number.isFinite(change)) return "—";
  if (Math.abs(change) < SAME) return "same";
  // From twice the value on, a factor is easier to read than a percentage.
  if (change >= 1) return `${threeDigits(value / reference)}\u00a0×`;
  const percent = threeDigits(Number((100 * Math.abs(change)).toPrecision(2)));
  return `${change < 0 ? "−" : "+"}${percent}%`;
}

/** Format the difference of two configurations: `−38% cost, +12% time`. */
export function differenceWords(
  configuration: Pick<Configuration, "time_s" | "cost_usd" | "cost_always_on_usd">,
  reference: Pick<Configuration, "time_s" | "cost_usd" | "cost_always_on_usd">,
  { range, word }: Pick<Money, "range" | "word">,
): string {
  const [cost, time] = [
    percentWords(range(configuration).p50, range(reference).p50),
    percentWords(configuration.time_s.p50, reference.time_s.p50),
  ];
  return cost === "same" && time === "same" ? `same ${word} and time` : `${cost} ${word}, ${time} time`;
}

/** Format a ratio: `1.6 ×`. */
export function factorWords(value: number, reference: number): string {
  const factor = value / reference;
  return Number.isFinite(factor) && reference > 0 ? `${threeDigits(Number(factor.toPrecision(2)))}\u00a0×` : "—";
}
