// Names of the catalog's quantities: titles of the service's columns, and of quantities without a column.

import { inChosenUnit } from "./units";
import { count, threeDigits } from "./wording";

type Named = readonly [title: string, unit: string];

const RATE = "MB/s";
const VOLUME_RATE = "MiB/s";
const SHARE = "";

const QUANTITIES: Record<string, Named> = {
  vcpus: ["vCPU", ""],
  memory_gib: ["Memory", "GiB"],
  cpu_baseline_share: ["CPU baseline", SHARE],
  disk_count: ["Disks", ""],
  disk_size_gb: ["Disk size", "GB"],
  capacity_gb: ["Capacity", "GB"],
  storage_mb_per_s: ["Disk throughput (half read, half write)", RATE],
  storage_read_mb_per_s: ["Disk read", RATE],
  storage_write_mb_per_s: ["Disk write", RATE],
  storage_read_iops: ["Disk read IOPS", "IOPS"],
  storage_write_iops: ["Disk write IOPS", "IOPS"],
  ebs_mb_per_s: ["EBS bandwidth", RATE],
  ebs_read_mb_per_s: ["EBS read", RATE],
  ebs_write_mb_per_s: ["EBS write", RATE],
  ebs_baseline_mb_per_s: ["EBS baseline", RATE],
  ebs_maximum_mb_per_s: ["EBS maximum", RATE],
  ebs_baseline_iops: ["EBS baseline IOPS", "IOPS"],
  ebs_maximum_iops: ["EBS maximum IOPS", "IOPS"],
  most_volumes: ["Most volumes", ""],
  network_mb_per_s: ["Network bandwidth", RATE],
  network_baseline_mb_per_s: ["Network baseline", RATE],
  network_peak_mb_per_s: ["Network peak", RATE],
  usd_per_hour: ["On-demand", "USD/h"],
  spot_usd_per_hour: ["Spot", "USD/h"],
  one_year_usd_per_hour: ["1 year", "USD/h"],
  three_year_usd_per_hour: ["3 years", "USD/h"],
  ebs_usd_per_hour: ["EBS-optimized", "USD/h"],
  smallest_gib: ["Smallest volume", "GiB"],
  largest_gib: ["Largest volume", "GiB"],
  small_volume_gib: ["Size up to which it is slower", "GiB"],
  largest_io_kib: ["Largest I/O", "KiB"],
  annual_failure_rate: ["Failures a year", "1/a"],
  lowest_annual_failure_rate: ["Fewest failures a year", "1/a"],
  highest_annual_failure_rate: ["Most failures a year", "1/a"],
  promised_share: ["Promised share of the performance", SHARE],
  promised_time: ["Promised share of the time", SHARE],
  iops_per_gib: ["IOPS per size", "IOPS/GiB"],
  largest_iops_per_gib: ["Most IOPS per size", "IOPS/GiB"],
  smallest_iops: ["Least IOPS", "IOPS"],
  largest_iops: ["Most IOPS", "IOPS"],
  largest_iops_without_nitro: ["Most IOPS without Nitro", "IOPS"],
  included_iops: ["IOPS included", "IOPS"],
  burst_iops: ["Burst IOPS", "IOPS"],
  typical_iops: ["Typical IOPS", "IOPS"],
  io_credits: ["Burst bucket", "I/O"],
  small_volume_mib_per_s: ["Throughput of small volumes", VOLUME_RATE],
  largest_mib_per_s: ["Most throughput", VOLUME_RATE],
  included_mib_per_s: ["Throughput included", VOLUME_RATE],
  lowest_mib_per_s: ["Least throughput", VOLUME_RATE],
  highest_mib_per_s: ["Most throughput", VOLUME_RATE],
  plateau_mib_per_s: ["Throughput plateau", VOLUME_RATE],
  mib_per_s_per_iops: ["Throughput per IOPS", "MiB/s per IOPS"],
  largest_mib_per_s_per_iops: ["Most throughput per IOPS", "MiB/s per IOPS"],
  plateau_mib_per_s_per_iops: ["Throughput per IOPS on the plateau", "MiB/s per IOPS"],
  baseline_mib_per_s_per_tib: ["Baseline throughput per size", "MiB/s per TiB"],
  largest_baseline_mib_per_s: ["Most baseline throughput", VOLUME_RATE],
  burst_mib_per_s_per_tib: ["Burst throughput per size", "MiB/s per TiB"],
  largest_burst_mib_per_s: ["Most burst throughput", VOLUME_RATE],
  credit_tib_per_tib: ["Burst bucket per size", "TiB/TiB"],
  usd_per_gib_month: ["Price of size", "USD per GiB and month"],
  usd_per_iops_month: ["Price of IOPS", "USD per IOPS and month"],
  usd_per_iops_month_above_32000: ["Price of IOPS above 32,000", "USD per IOPS and month"],
  usd_per_iops_month_above_64000: ["Price of IOPS above 64,000", "USD per IOPS and month"],
  usd_per_mib_per_s_month: ["Price of throughput", "USD per MiB/s and month"],
  usd_per_million_io: ["Price of a million I/Os", "USD"],
};

/** Return the title of a quantity, keeping a suffix for measured ones: `network_mb_per_s at 178 nodes`. */
export function quantityTitle(quantity: string): string {
  const [name = "", ...where] = quantity.split(" ");
  return [QUANTITIES[name]?.[0] ?? name, ...where].join(" ");
}

/** Units in which AWS states what the catalog stores in MB/s, and their size in MB/s: 1 Gbit/s is 125 MB/s. */
const STATED: Record<string, readonly [unit: string, size: number]> = {
  network_mb_per_s: ["Gbit/s", 125],
  network_baseline_mb_per_s: ["Gbit/s", 125],
  network_peak_mb_per_s: ["Gbit/s", 125],
  network_mb_per_s_per_usd: ["Gbit/s per USD/h", 125],
};

/**
 * Convert a figure of the catalog to the chosen unit; by default that in which AWS states the quantity, which for most
 * is the catalog's.
 */
export function asShown<Value extends number | null>(
  quantity: string,
  value: Value,
  unit: string,
): { value: Value | number; unit: string } {
  const stated = asStated(quantity, value, unit);
  return inChosenUnit(stated.value, stated.unit);
}

/** Convert a figure of the catalog to the unit in which AWS states the quantity. */
export function asStated<Value extends number | null>(
  quantity: string,
  value: Value,
  unit: string,
): { value: Value | number; unit: string } {
  const [stated, size] = STATED[quantity.split(" ")[0] ?? ""] ?? [unit, 1];
  return { value: value === null ? value : value / size, unit: stated };
}

/** Return the unit of a quantity; empty for counts. */
export function quantityUnit(quantity: string): string {
  return QUANTITIES[quantity.split(" ")[0] ?? ""]?.[1] ?? "";
}

/** Format a unit: empty for counts, IOPS for I/Os per second. */
export function unitText(unit: string): string {
  if (unit === "1/s") return "IOPS";
  return unit === "1" ? "" : unit;
}

/** Format a figure without its unit: integers in full, others with three digits. */
export function figureWords(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? count(value) : threeDigits(value);
}

/** Format a figure with its unit: `16,384 GiB`. */
export function withUnit(value: number, unit: string): string {
  return `${figureWords(value)} ${unitText(unit)}`.trimEnd();
}
