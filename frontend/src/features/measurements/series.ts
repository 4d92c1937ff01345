// Names of monitor series, and their resources.

import type { ResourceKind } from "@/lib/resources";

/** Resource of a monitored metric. */
export function resourceOf(name: string): ResourceKind {
  if (name.startsWith("interface_") || name.startsWith("network_")) return "network";
  if (name.startsWith("volume_")) return "EBS volumes";
  if (name.startsWith("cpu_")) return "CPU";
  if (name.startsWith("device_")) return "local disk";
  return "other";
}

/** `device read, nvme1n1`. */
export function seriesName(name: string, of: string): string {
  const words = name
    .replace(/_(mb_per_s|share|us)$/, "")
    .replaceAll("_", " ")
    .replace(/ iops$/, " IOPS")
    .replace(/^cpu/, "CPU");
  return of === "" ? words : `${words}, ${of}`;
}
