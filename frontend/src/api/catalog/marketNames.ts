// Names of regions and instance types for forms, fetched once.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { catalogs, regionNames, versionOf } from "./catalogs";

/**
 * Return the regions of the newest catalog and the instance types of a region.
 *
 * @param fallback region whose types are returned if there is no such region; empty for none
 */
export function useMarketNames(region: string, fallback = "us-east-1"): { regions: string[]; types: string[] } {
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest");
  const regions = useMemo(() => newest?.regions.map(({ name }) => name) ?? [], [newest]);
  const known = [region.trim(), fallback].find((name) => regions.includes(name)) ?? "";
  const query = useQuery({
    ...regionNames(newest?.version ?? "", known),
    enabled: newest !== undefined && known !== "",
  });
  const types = useMemo(() => query.data?.instance_types ?? [], [query.data]);
  return { regions, types };
}
