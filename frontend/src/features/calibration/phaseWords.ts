// Sentences about a finished job and its phases compared with the prediction.

import type { FinishedJob } from "@/api/measurements/calibrations";
import { differenceWords } from "@/lib/measured";
import { duration, durationRange, type Quantiles, threeDigits } from "@/lib/wording";

function rangeText(range: Quantiles): string {
  return `${duration(range.p50)} (${durationRange(range)})`;
}

/** `It took 40 min; predicted: 35 min (30–44 min), −12.5%. The sort and reduce phase took 1.8 times …` */
export function jobSentence(job: FinishedJob): string {
  const { measured_s, predicted, problem } = job;
  if (predicted === null) {
    const why = problem === null ? "" : `: ${problem.replace(/\.$/, "")}`;
    return `It took ${duration(measured_s)}; it cannot be predicted${why}.`;
  }
  const off = 100 * (predicted.p50 / measured_s - 1);
  const whole = `It took ${duration(measured_s)}; predicted: ${rangeText(predicted)}, ${differenceWords(off)}.`;
  const phase = phaseSentence(job);
  return phase === null ? whole : `${whole} ${phase}`;
}

/** Sentence about the phase with the largest error; null if no measured phase is predicted. */
export function phaseSentence({
  compared,
  furthest_off,
}: Pick<FinishedJob, "compared" | "furthest_off">): string | null {
  if (compared.length === 0) return null;
  const off = compared.find(({ name }) => name === furthest_off);
  if (off === undefined) return "Each measured phase took what is predicted, within 10%.";
  const ratio = off.measured_s / off.predicted_s;
  if (!Number.isFinite(ratio)) return `The ${off.name} phase took ${duration(off.measured_s)}; none was predicted.`;
  const most = compared.length === 1 ? "" : ", the largest difference of all phases";
  return `The ${off.name} phase took ${threeDigits(ratio)} times what is predicted${most}.`;
}

/** Framework with which the job is predicted. */
export function predictedWithWords({
  predicted_by,
  framework,
}: Pick<FinishedJob, "predicted_by" | "framework">): string {
  if (predicted_by === "calibration") return `predicted with your calibration of “${framework}”`;
  if (predicted_by === "framework")
    return `predicted with the published profile of ${framework}; no calibration of your own yet`;
  return `predicted as an unknown framework: no calibration of “${framework}” yet`;
}
