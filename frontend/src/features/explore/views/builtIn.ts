// Views that the page offers to everybody: named sets of filters, order and columns.

import { type ExploreChange, type ExploreSearch, exploreSearchFrom, OPENING } from "@/features/explore/search";

/** Parameters that belong to a view; the others name the region, the catalog, or what is open. */
const SHOWN = [
  ...(["name", "series", "generation", "media", "traits", "where"] as const),
  ...(["sort", "columns", "x", "y"] as const),
];
export type Shown = Pick<ExploreSearch, (typeof SHOWN)[number]>;

const EVERYTHING: Shown = { series: "all" };

export const BUILT_IN: readonly { name: string; title: string; shown: Shown }[] = [
  {
    name: "Storage optimized",
    title: "Storage-optimized types with local NVMe of the current generation",
    shown: shownIn(OPENING),
  },
  {
    name: "NVMe heavy",
    title: "Current types with local NVMe, the largest capacity first",
    shown: {
      generation: "current",
      media: "ssd",
      sort: "-capacity_gb",
      columns:
        "vcpus,memory_gib,disk_count,disk_size_gb,capacity_gb,storage_read_mb_per_s,storage_write_mb_per_s," +
        "storage_read_iops,usd_per_hour,usd_per_tb_hour",
    },
  },
  {
    name: "Network per dollar",
    title: "Current types by sustained network bandwidth per dollar",
    shown: {
      generation: "current",
      sort: "-network_mb_per_s_per_usd",
      columns:
        "vcpus,memory_gib,network_baseline_mb_per_s,network_peak_mb_per_s,capacity_gb,usd_per_hour," +
        "network_mb_per_s_per_usd",
      x: "usd_per_hour",
      y: "network_baseline_mb_per_s",
    },
  },
  {
    name: "EBS heavy",
    title: "Current types by sustained bandwidth to EBS",
    shown: {
      generation: "current",
      sort: "-ebs_baseline_mb_per_s",
      columns:
        "vcpus,memory_gib,ebs_baseline_mb_per_s,ebs_maximum_mb_per_s,ebs_baseline_iops,ebs_maximum_iops," +
        "most_volumes,usd_per_hour",
      x: "usd_per_hour",
      y: "ebs_baseline_mb_per_s",
    },
  },
  { name: "All types", title: "Every type of the region", shown: EVERYTHING },
];

/** Return the parameters that belong to a view, without those that have their default. */
export function shownIn(search: { [key in keyof ExploreSearch]?: string | null | undefined }): Shown {
  return exploreSearchFrom(Object.fromEntries(SHOWN.map((key) => [key, search[key]])));
}

/** Return the change that shows a view: its parameters, and none of the current ones. */
export function showing(shown: { [key in keyof Shown]?: string | null | undefined }): ExploreChange {
  return Object.fromEntries(SHOWN.map((key) => [key, shown[key] ?? undefined]));
}

/** Check if two views show the same. */
export function isSame(one: Shown, other: Shown): boolean {
  return SHOWN.every((key) => (one[key] ?? "") === (other[key] ?? ""));
}
