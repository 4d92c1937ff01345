// Fields with a slider, and their ranges.

import type { Axis } from "@/charts/axes/axis";
import { COSTS, type Scale, SIZES, TIMES } from "@/charts/drag/steps";
import type { Ends } from "@/charts/drag/useDrag";
import type { Choice } from "@/features/plan/workload/choice";
import type { Field } from "@/features/plan/workload/fields";
import { secondsIn, usdIn } from "@/lib/amounts";
import { gigabytesIn } from "@/lib/sizes";

export interface Sliding {
  field: Field;
  label: string;
  axis: Axis;
  scale: Scale;
  ends: Ends;
  without: string;
  /** Parses the text of the field; null if invalid. */
  read: (text: string) => number | null;
}

const HOUR_S = 3_600;

/** Sliders with ranges narrow enough for a few pixels per step. */
export const SLIDERS: { data: Sliding; deadline: Sliding; budget: Sliding } = {
  data: {
    field: "data",
    label: "Data",
    axis: { low: 10, high: 1e7, log: true },
    scale: SIZES,
    ends: "closed",
    without: "cannot be read",
    read: gigabytesIn,
  },
  deadline: {
    field: "deadline",
    label: "Deadline",
    axis: { low: 60, high: 7 * 24 * HOUR_S, log: true },
    scale: TIMES,
    ends: "open",
    without: "no deadline",
    read: secondsIn,
  },
  budget: {
    field: "budget",
    label: "Budget",
    axis: { low: 1, high: 1e6, log: true },
    scale: COSTS,
    ends: "open",
    without: "no budget",
    read: usdIn,
  },
};

/** Return the deadline slider; filling a permanent cluster has a default deadline. */
export function deadlineSlider({ job, deadline, runs, usual }: Choice): Sliding {
  const fills = job === "hdfs-write" && deadline.trim() === "" && usual !== "ignored" && Number(runs) <= 1;
  return fills ? { ...SLIDERS.deadline, without: "7 d (default)" } : SLIDERS.deadline;
}
