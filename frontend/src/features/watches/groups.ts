// Groups of metrics that share a chart, with captions.

import type { MetricSeries, Metrics } from "@/api/runs/watches";
import { measuredWords } from "@/lib/measured";
import type { ResourceKind } from "@/lib/resources";
import { duration, percent, threeDigits } from "@/lib/wording";

export interface Group {
  key: string;
  title: string;
  /** Title of the vertical axis. */
  axis: string;
  kind: ResourceKind;
  names: readonly string[];
  /** Caption. */
  caption: string;
}

const GROUPS: readonly Group[] = [
  {
    key: "throughput",
    title: "Throughput",
    axis: "moved in a second",
    kind: "EBS volumes",
    names: ["read_mb_per_s", "write_mb_per_s"],
    caption: "What CloudWatch counted in each period, by its seconds.",
  },
  {
    key: "burst-balance",
    title: "Burst balance",
    axis: "of a full bucket",
    kind: "EBS volumes",
    names: ["burst_balance"],
    caption: "At 0 the volume falls back to its baseline.",
  },
  {
    key: "queue-length",
    title: "Queue length",
    axis: "requests that wait",
    kind: "EBS volumes",
    names: ["queue_length"],
    caption: "A long queue at a throughput that does not grow: the volume, or the link to it, is the limit.",
  },
  {
    key: "operations",
    title: "I/O operations",
    axis: "in a second",
    kind: "EBS volumes",
    names: ["read_iops", "write_iops"],
    caption: "As the volume counts them: small sequential ones are merged before.",
  },
  {
    key: "delivered",
    title: "Delivered of the IOPS that are provisioned",
    axis: "share",
    kind: "EBS volumes",
    names: ["iops_delivered"],
    caption: "A period in which nothing was asked for counts as delivered.",
  },
  {
    key: "idle",
    title: "Time without any request",
    axis: "share of the period",
    kind: "EBS volumes",
    names: ["idle"],
    caption: "A volume that is never idle is busy, and may be the limit.",
  },
  {
    key: "link",
    title: "Balance of the EBS link",
    axis: "of a full bucket",
    kind: "EBS link",
    names: ["link_byte_balance", "link_io_balance"],
    caption: "Of the instance, every five minutes. At 0 it falls back to its baseline, also with faster volumes.",
  },
  {
    key: "network",
    title: "Network",
    axis: "moved in a second",
    kind: "network",
    names: ["received_mb_per_s", "sent_mb_per_s"],
    caption: "Of the instance, every five minutes.",
  },
];

/** Label at the end of a line. */
export const LINE_NAMES: Record<string, string> = {
  read_mb_per_s: "read",
  write_mb_per_s: "written",
  burst_balance: "CloudWatch",
  queue_length: "waiting",
  read_iops: "reads",
  write_iops: "writes",
  iops_delivered: "delivered",
  idle: "idle",
  link_byte_balance: "bytes",
  link_io_balance: "I/O",
  received_mb_per_s: "received",
  sent_mb_per_s: "sent",
};

export interface Drawn {
  group: Group;
  series: readonly MetricSeries[];
}

/** Whether a series has measured values. */
export function hasAny({ mean }: MetricSeries): boolean {
  return mean.some((value) => value !== null);
}

/** Select the groups that have measured values. */
export function drawnOf({ series }: Metrics): Drawn[] {
  return GROUPS.map((group) => ({
    group,
    series: group.names.flatMap((name) => series.filter((one) => one.name === name && hasAny(one))),
  })).filter(({ series: found }) => found.length > 0);
}

/** Format a value of a metric: `93.1 MB/s`, `2,400 IOPS`, `87%`, `3.5`. */
export function metricWords(value: number, unit: MetricSeries["unit"]): string {
  if (unit === "share") return percent(value);
  if (unit === "MB/s") return measuredWords("", value, unit);
  return unit === "IOPS" ? `${threeDigits(value)} IOPS` : threeDigits(value);
}

/** Describe the resolution of a chart if it is coarser than CloudWatch's. */
export function stepWords({ step_s }: Metrics): string {
  return step_s <= 60 ? "" : `Each step is ${duration(step_s)}; the band holds the least and the most within it.`;
}
