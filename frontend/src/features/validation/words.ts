// Figures of the validation in words, each in its own unit.

import { counted, duration, durationRange, percent, threeDigits, usd, usdRange } from "@/lib/wording";
import type { CaseAnswer, ExperimentsAnswer } from "./answer";

/** Smaller errors [%] are rounding errors of the publication, shown as zero. */
const NOTHING_PCT = 0.005;

/** Format a figure with its unit: `16 min 50 s`, `$325`, `40 MiB/s`; a pure number has none. */
export function valueWords(value: number, unit: string): string {
  if (unit === "s" && value > 0) return duration(value);
  if (unit === "USD") return value < 0 ? `−${usd(-value)}` : usd(value);
  return unit === "1" ? threeDigits(value) : `${threeDigits(value)} ${unit}`;
}

/** Format p10 to p90 in one unit. */
export function rangeWords({ p10, p90 }: { p10: number; p90: number }, unit: string): string {
  const quantiles = { p10, p50: p10, p90 };
  if (unit === "s") return durationRange(quantiles);
  if (unit === "USD") return usdRange(quantiles);
  return `${threeDigits(p10)}–${valueWords(p90, unit)}`;
}

/** Format an error [%] without its sign: `5.3%`. */
export function sizeWords(error_pct: number): string {
  const size = Math.abs(error_pct);
  return size < NOTHING_PCT ? "0%" : percent(size / 100);
}

/** Format an error [%] with its sign: `+5.3%`, `−31.2%`. */
export function errorWords(error_pct: number): string {
  const size = sizeWords(error_pct);
  return size === "0%" ? size : `${error_pct < 0 ? "−" : "+"}${size}`;
}

/** Format all digits, for tooltips. */
export function exactWords(value: number, unit: string): string {
  return unit === "1" ? String(value) : `${value} ${unit}`;
}

/** Describe an inequality: `predicted ≥ actual: holds`. Null if it is an equality, or a side is unknown. */
export function inequalityWords({
  relation,
  predicted,
  actual,
  error_pct,
}: Pick<CaseAnswer, "relation" | "predicted" | "actual" | "error_pct">): string | null {
  if (relation === "equal" || predicted === null || actual === null) return null;
  const sides = `predicted ${relation === "at least" ? "≥" : "≤"} actual`;
  const between = relation === "at least" ? predicted >= actual : predicted <= actual;
  const holds = error_pct === null ? between : error_pct === 0;
  if (holds) return `${sides}: holds`;
  return `${sides}: fails${error_pct === null ? "" : ` by ${sizeWords(error_pct)}`}`;
}

/** Describe the overall error and the worst experiment, for the top of the page. */
export function sentenceOf({ count, median_abs_error_pct, worst, rows }: ExperimentsAnswer): string {
  if (count === 0) return "No prediction has been held against an independent experiment yet.";
  const name = rows.find(({ experiment }) => experiment === worst.experiment)?.name ?? worst.experiment;
  return (
    `Over ${counted(count, "independent experiment")} the predictions are off by ${sizeWords(median_abs_error_pct)} ` +
    `in the median; the worst, ${name}, by ${sizeWords(worst.error_pct)}.`
  );
}
