import type { RankedAnswer } from "@/api/generated";
import { chance } from "@/lib/wording";

const ALMOST_A_YEAR_S = 360 * 86_400;

/** Say the chance of losing data, and over which time. */
export function lossWords({
  loss_probability,
  loss_exposure_s,
}: Pick<RankedAnswer, "loss_probability" | "loss_exposure_s">): string {
  const span = loss_exposure_s >= ALMOST_A_YEAR_S ? "in a year" : "during the job";
  return `chance of losing data ${span}: ${chance(loss_probability)}`;
}
