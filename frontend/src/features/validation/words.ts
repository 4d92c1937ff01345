// Figures of the validation in words; each in its own unit.

import { counted, duration, durationRange, percent, threeDigits, usd, usdRange } from "@/lib/wording";
import type { CaseAnswer, ExperimentsAnswer } from "./answer";

/** Smaller errors [%] are rounding in the publication, not worth their digits. */
const NOTHING_PCT = 0.005;

/** Write a figure with its unit: `16 min 50 s`, `$325`, `40 MiB/s`; a pure number stands alone. */
export function valueWords(value: number, unit: string): string {
  if (unit === "s" && value > 0) return duration(value);
  if (unit === "USD") return value < 0 ? `−${usd(-value)}` : usd(value);
  return unit === "1" ? threeDigits(value) : `${threeDigits(value)} ${unit}`;
}

/** Write p10 to p90 in one unit. */
export function rangeWords({ p10, p90 }: { p10: number; p90: number }, unit: string): string {
  const quantiles = { p10, p50: p10, p90 };
  if (unit === "s") return durationRange(quantiles);
  if (unit === "USD") return usdRange(quantiles);
  return `${threeDigits(p10)}–${valueWords(p90, unit)}`;
}

/** Write an error [%] without its sign: `5.3%`. */
export function sizeWords(error_pct: number): string {
  const size = Math.abs(error_pct);
  return size < NOTHING_PCT ? "0%" : percent(size / 100);
}

/** Write an error [%] with its sign: `+5.3%`, `−31.2%`. */
export function errorWords(error_pct: number): string {
  const size = sizeWords(error_pct);
  return size === "0%" ? size : `${error_pct < 0 ? "−" : "+"}${size}`;
}

/** Write all digits, for hovering. */
export function exactWords(value: number, unit: string): string {
  return unit === "1" ? String(value) : `${value} ${unit}`;
}

/** An inequality in words: `predicted ≥ actual: holds`. Null where it is none, or a side is not known. */
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

/** The first line of the page: how far off the predictions are, and where most. */
export function sentenceOf({ count, median_abs_error_pct, worst, rows }: ExperimentsAnswer): string {
  if (count === 0) return "No prediction has been held against an independent experiment yet.";
  const name = rows.find(({ experiment }) => experiment === worst.experiment)?.name ?? worst.experiment;
  return (
    `Over ${counted(count, "independent experiment")} the predictions are off by ${sizeWords(median_abs_error_pct)} ` +
    `in the median; the worst, ${name}, by ${sizeWords(worst.error_pct)}.`
  );
}
