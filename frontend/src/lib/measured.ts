// Measured figures as text: customary units, three significant digits.

import type { Target } from "@/api/measurements/measurements";
import { inChosenUnit } from "./units";
import { count, duration, percent, threeDigits } from "./wording";

const LARGER: Record<string, readonly (readonly [unit: string, size: number])[]> = {
  "MiB/s": [
    ["TiB/s", 2 ** 20],
    ["GiB/s", 2 ** 10],
    ["MiB/s", 1],
    ["KiB/s", 2 ** -10],
  ],
  "Gbit/s": [
    ["Tbit/s", 1e3],
    ["Gbit/s", 1],
    ["Mbit/s", 1e-3],
    ["kbit/s", 1e-6],
  ],
  MiB: [
    ["PiB", 2 ** 30],
    ["TiB", 2 ** 20],
    ["GiB", 2 ** 10],
    ["MiB", 1],
    ["KiB", 2 ** -10],
  ],
  "MB/s": [
    ["TB/s", 1e6],
    ["GB/s", 1e3],
    ["MB/s", 1],
    ["kB/s", 1e-3],
  ],
  MB: [
    ["PB", 1e9],
    ["TB", 1e6],
    ["GB", 1e3],
    ["MB", 1],
    ["kB", 1e-3],
  ],
  us: [
    ["s", 1e6],
    ["ms", 1e3],
    ["µs", 1],
    ["ns", 1e-3],
  ],
};

/**
 * Format a measured figure with its unit: `1.74 GB/s`, `12,300 IOPS`, `850 µs`, `18.2%`.
 *
 * @param metric metric name, for the meaning of dimensionless units: `read_iops`
 */
export function measuredWords(metric: string, value: number, unit: string): string {
  if (unit === "s") return value > 0 ? duration(value) : `${threeDigits(value)} s`;
  if (unit === "1/s") return metric.includes("iops") ? `${threeDigits(value)} IOPS` : `${threeDigits(value)}/s`;
  if (unit === "1") return metric.includes("_share") ? percent(value) : threeDigits(value);
  const shown = inChosenUnit(value, unit);
  const sizes = LARGER[shown.unit];
  if (sizes === undefined) return `${threeDigits(shown.value)} ${shown.unit}`.trimEnd();
  const [written, size] = sizes.find(([, least]) => Math.abs(shown.value) >= least) ?? sizes.at(-1) ?? [unit, 1];
  return value === 0 ? `0 ${unit === "us" ? "µs" : shown.unit}` : `${threeDigits(shown.value / size)} ${written}`;
}

/** Format a range of a metric; a common unit is written once: `1.7–1.9 GB/s`. */
export function measuredRange(metric: string, low: number, high: number, unit: string): string {
  const [from, to] = [measuredWords(metric, low, unit), measuredWords(metric, high, unit)];
  const [, number, written] = /^([\d.,−-]+)(.*)$/.exec(from) ?? [];
  return number !== undefined && written !== undefined && to.endsWith(written) && !/\d/.test(written)
    ? `${number}–${to}`
    : `${from}–${to}`;
}

/** Format the title of a metric with its statistic: `Time that reads took, p99.9`. */
export function metricTitle(what: string, name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? what : `${what}, ${name.slice(dot + 1)}`;
}

/** Format a difference with its sign: `−18.2%`, `+3%`; negligible differences are `0%`. */
export function differenceWords(difference_pct: number): string {
  const size = Math.abs(difference_pct);
  if (size < 0.05) return "0%";
  return `${difference_pct < 0 ? "−" : "+"}${threeDigits(size)}%`;
}

/** Format a measurement target: `i3.8xlarge in us-east-1, 4 own disks`. */
export function targetWords({ instance, region, zone, storage, nodes, placement_group }: Target): string {
  const place = zone ?? region;
  return [
    [nodes > 1 ? `${count(nodes)} × ${instance ?? "nodes"}` : (instance ?? "any machine"), place]
      .filter((word) => word !== null)
      .join(" in "),
    ...(storage === null ? [] : [storageWords(storage)]),
    ...(placement_group === true ? ["placement group"] : []),
  ].join(", ");
}

function storageWords(storage: NonNullable<Target["storage"]>): string {
  if (storage.kind === "instance-store") return storage.disks === 1 ? "1 own disk" : `${storage.disks} own disks`;
  const { type, size_gib, iops, throughput_mib_per_s, count: volumes } = storage;
  const bought = [
    ...(iops == null ? [] : [`${count(iops)} IOPS`]),
    ...(throughput_mib_per_s == null ? [] : [`${count(throughput_mib_per_s)} MiB/s`]),
  ];
  const size = size_gib == null ? "" : `${count(size_gib)} GiB `;
  return `${volumes ?? 1} × ${size}${type}${bought.length === 0 ? "" : ` of ${bought.join(" and ")}`}`;
}

/** Format a size in decimal units, like file managers do: `4.2 MB`. */
export function bytesWords(bytes: number): string {
  const [unit, size] = (
    [
      ["GB", 1e9],
      ["MB", 1e6],
      ["kB", 1e3],
    ] as const
  ).find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return `${threeDigits(bytes / size)} ${unit}`;
}
