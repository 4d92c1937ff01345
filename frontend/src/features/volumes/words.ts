// Figures of the volume designer in words.

import type { Figure, VolumeDesignAnswer, VolumeDesignRow, VolumeLayoutAnswer } from "@/api/generated";
import { amountWords, chosenUnit, inChosenUnit } from "@/lib/units";
import { chance, count, duration, percent, threeDigits } from "@/lib/wording";

/** Format a layout: `2 × gp3 of 500 GiB`. */
export function layoutName({ count: volumes, volume_type, size_gib }: VolumeLayoutAnswer): string {
  return `${count(volumes)} × ${volume_type} of ${count(size_gib)} GiB`;
}

/** Format the provisioned performance: `3,000 IOPS and 125 MiB/s each`; empty if none is provisioned. */
export function provisionedWords({ count: volumes, iops, throughput_mib_per_s }: VolumeLayoutAnswer): string {
  const parts = [
    ...(iops === null ? [] : [`${count(iops)} IOPS`]),
    ...(throughput_mib_per_s === null ? [] : [`${count(throughput_mib_per_s)} MiB/s`]),
  ];
  return parts.length === 0 ? "" : `${parts.join(" and ")}${volumes > 1 ? " each" : ""}`;
}

/** Format the performance: `3,000 IOPS, 125 MiB/s`, or with bursts: `600–3,000 IOPS`. */
export function reachedWords({ reached }: VolumeDesignRow): string {
  const rate = (mib_per_s: number) => inChosenUnit(mib_per_s, "MiB/s").value;
  const range = (low: number, high: number) =>
    high > low * 1.001 ? `${threeDigits(low)}–${threeDigits(high)}` : threeDigits(low);
  return (
    `${range(reached.baseline_iops, reached.burst_iops)} IOPS, ` +
    `${range(rate(reached.baseline_mib_per_s), rate(reached.burst_mib_per_s))} ${chosenUnit("MiB/s")}`
  );
}

/** Return the limiting quantity. */
export function limitWords({ limited_by }: VolumeDesignRow): string {
  return limited_by === "capacity" ? "only the capacity" : limited_by;
}

/** Format a chance of loss: `0.1–0.2%`. */
export function lossWords(low: number, high: number): string {
  return low === high ? chance(low) : `${chance(low).replace(/%$/, "")}–${chance(high)}`;
}

/** Describe the burst credit over the day in a sentence. */
export function dayWords(row: VolumeDesignRow, { asked }: VolumeDesignAnswer): string {
  const { day, reached } = row;
  if (day === null) return "No load is asked.";
  const pace = `${amountWords(asked.mb_per_s, "MB/s")} for ${duration(asked.hours_a_day * 3_600)} a day`;
  const late =
    day.late_h > 0
      ? ` The instance’s link throttles it: the day’s bytes take ${duration(day.late_h * 3_600)} longer than asked.`
      : "";
  const least = Math.min(...day.course.map(({ volume_credit }) => volume_credit ?? 1));
  if (reached.refill_s === null) return `${pace}, with no burst credit to run out.${late}`;
  if (least > 0.995) return `${pace}: the baseline carries it, the bucket stays full.${late}`;
  const full = day.course.findLast(({ volume_credit }, index, all) => {
    const next = all[index + 1];
    return (volume_credit ?? 0) < 0.999 && next !== undefined && (next.volume_credit ?? 0) >= 0.999;
  });
  const again = full === undefined ? undefined : day.course[day.course.indexOf(full) + 1]?.hour;
  const back = again === undefined ? "" : ` and is full again ${duration(again * 3_600)} after the load began`;
  return `${pace}: the bucket falls to ${percent(least)}${back}.${late}`;
}

/** Topic of a volume type's figures. */
export type Topic = "price" | "reach" | "loss" | "promise";

function topicOf(quantity: string): Topic {
  if (quantity.startsWith("usd_per_")) return "price";
  if (quantity.endsWith("_annual_failure_rate")) return "loss";
  return quantity.startsWith("promised_") ? "promise" : "reach";
}

/** Return the figures of a volume type on a topic. */
export function volumeFigures(answer: VolumeDesignAnswer, name: string, topic: Topic): Figure[] {
  return figuresOf(answer, name).filter(({ quantity }) => topicOf(quantity.slice(name.length + 1)) === topic);
}

/** Return the figures of an instance type's EBS link or price. */
export function linkFigures(answer: VolumeDesignAnswer, name: string, parts: readonly ("ebs_" | "usd_")[]) {
  return figuresOf(answer, name).filter(({ quantity }) =>
    parts.some((part) => quantity.startsWith(part, name.length + 1)),
  );
}

function figuresOf(answer: VolumeDesignAnswer, name: string): Figure[] {
  return answer.figures.filter(({ quantity }) => quantity.startsWith(`${name}.`));
}
