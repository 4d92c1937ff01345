// Catalog queries. They do not depend on the team.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  type CatalogListAnswer,
  type CatalogSummary,
  type InstanceTypeTable,
  listCatalogs,
  readCatalogRegions,
  readDifference,
  readInstanceType,
  readInstanceTypes,
  readPlanToday,
  readPrices,
  readRefresh,
  readRegion,
  readVolumeTypes,
  type SourceAnswer,
} from "@/api/generated";
import { FRESH, ONCE, ofTeam, requested, retryUnreachable } from "@/api/requests";

export type {
  ColumnAnswer as TableColumn,
  Figure as CatalogFigure,
  InstanceTypeAnswer as TypeAnswer,
  InstanceTypeRow as TableRow,
  PriceChangeAnswer as PriceChange,
  PricePointAnswer as PricePoint,
  RefreshAnswer as Refresh,
  RegionOfferAnswer as RegionOffer,
  SourceAnswer as TableSource,
  VolumeTypeAnswer as VolumeType,
} from "@/api/generated";

export type FigureKind = SourceAnswer["kind"];
export type Purchase = InstanceTypeTable["purchase"];
export const PURCHASES: readonly Purchase[] = ["on-demand", "spot", "1-year", "3-year"];

/** Rows per request. One page normally covers a whole region, so that filters and sorting run locally. */
const WHOLE_TABLE = 2_000;
const MOST_VERSIONS = 100;

async function allVersions(signal: AbortSignal): Promise<CatalogSummary[]> {
  const found: CatalogSummary[] = [];
  let cursor: string | null = null;
  do {
    const page: CatalogListAnswer = await listCatalogs({ query: { limit: MOST_VERSIONS, cursor }, signal });
    found.push(...page.catalogs);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

async function wholeTable(
  path: { version: string; region: string },
  purchase: Purchase,
  signal: AbortSignal,
): Promise<InstanceTypeTable> {
  const read = (cursor: string | null) =>
    readInstanceTypes({ path, query: { purchase, limit: WHOLE_TABLE, cursor }, signal });
  let table = await read(null);
  while (table.next_cursor !== null) table = joined(table, await read(table.next_cursor));
  return table;
}

/** Append a page to a table, shifting the page's source indices. */
function joined(before: InstanceTypeTable, next: InstanceTypeTable): InstanceTypeTable {
  const shift = before.sources.length;
  const rows = next.rows.map((row) => ({
    ...row,
    sources: row.sources.map((source) => (source === null ? null : source + shift)),
  }));
  return { ...next, sources: [...before.sources, ...next.sources], rows: [...before.rows, ...rows] };
}

/** Query all catalog versions, newest first; the first searchable one is `latest`. */
export const catalogs = queryOptions({
  queryKey: ["catalogs"],
  queryFn: ({ signal }) => allVersions(signal),
  refetchInterval: retryUnreachable,
});

/** Return the catalog version named by a workload file's `catalog`. */
export function versionOf(known: readonly CatalogSummary[], asked: string): CatalogSummary | undefined {
  return asked === "latest"
    ? known.find(({ searchable }) => searchable)
    : known.find(({ version }) => version === asked);
}

/** Query what each region of a version sells, with its price level. */
export function catalogRegions(version: string) {
  return requested(
    ["catalogs", version, "regions"],
    (request) => readCatalogRegions({ path: { version }, ...request }),
    ONCE,
  );
}

/** Query the names of everything sold in a region; disabled while the version is unknown. */
export function regionNames(version: string, region: string) {
  return requested(["catalogs", version, region], (request) => readRegion({ path: { version, region }, ...request }), {
    enabled: version !== "",
    ...ONCE,
  });
}

/** Query the EBS volume types of a region with limits and prices; disabled while the version is unknown. */
export function volumeTypes(version: string, region: string) {
  return requested(
    ["catalogs", version, region, "volume types"],
    (request) => readVolumeTypes({ path: { version, region }, ...request }),
    { enabled: version !== "", ...ONCE },
  );
}

/** Query all instance types of a region with all figures. Keeps the previous table while loading. */
export function typeTable(version: string, region: string, purchase: Purchase) {
  return queryOptions({
    queryKey: ["catalogs", version, region, "types", purchase],
    queryFn: ({ signal }) => wholeTable({ version, region }, purchase, signal),
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}

export function oneType(version: string, region: string, name: string) {
  return requested(["catalogs", version, region, "type", name], (request) =>
    readInstanceType({ path: { version, region, name }, ...request }),
  );
}

/** Query the price history of an instance type in a region over all versions. */
export function priceHistory(version: string, region: string, name: string) {
  return requested(["catalogs", version, region, "prices", name], (request) =>
    readPrices({ path: { version, region, name }, ...request }),
  );
}

/** Query the changes in a region since an older version. */
export function difference(version: string, region: string, since: string) {
  return requested(
    ["catalogs", version, region, "since", since],
    (request) => readDifference({ path: { version, region }, query: { since }, ...request }),
    ONCE,
  );
}

/** Query the answer to a saved plan's question from the newest version. */
export function planToday(id: string) {
  return ofTeam(["plans", "today", id], (request) => readPlanToday({ path: { plan_id: id }, ...request }), ONCE);
}

/** Query the last requested refresh and the requirements of the next one. */
export function refresh() {
  return ofTeam(["refresh"], readRefresh, FRESH);
}
