import type { RankedAnswer } from "@/api/generated";
import { chance, duration } from "@/lib/wording";

const YEAR_S = 365.25 * 86_400;
const ABOUT = 0.02;

/** Describe the chance of data loss and its period. */
export function lossWords(row: Pick<RankedAnswer, "loss_probability" | "loss_exposure_s" | "time_s">): string {
  return `chance of losing data ${spanWords(row)}: ${chance(row.loss_probability)}`;
}

function spanWords({ loss_exposure_s: span, time_s }: Pick<RankedAnswer, "loss_exposure_s" | "time_s">): string {
  if (isAbout(span, YEAR_S)) return "in a year";
  return isAbout(span, time_s.p50) ? "during the job" : `in ${duration(span)}`;
}

function isAbout(value: number, other: number): boolean {
  return Math.abs(value - other) <= ABOUT * other;
}
