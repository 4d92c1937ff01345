// Names of regions and instance types for forms, fetched once.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { catalogs, regionNames, versionOf } from "./catalogs";

/** Return the regions of the newest catalog and the instance types of a region (default us-east-1). */
export function useMarketNames(region: string): { regions: string[]; types: string[] } {
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest");
  const regions = useMemo(() => newest?.regions.map(({ name }) => name) ?? [], [newest]);
  const known = regions.includes(region.trim()) ? region.trim() : (regions.find((name) => name === "us-east-1") ?? "");
  const query = useQuery({
    ...regionNames(newest?.version ?? "", known),
    enabled: newest !== undefined && known !== "",
  });
  const types = useMemo(() => query.data?.instance_types ?? [], [query.data]);
  return { regions, types };
}
