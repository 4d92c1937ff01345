import { NativeSelect } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback } from "react";
import { catalogs, PURCHASES, type Purchase, type TableRow, typeTable } from "@/api/catalog/catalogs";
import type { CatalogSummary, InstanceTypeTable } from "@/api/generated";
import { PRICE_OF, PURCHASE_WORDS } from "@/lib/purchases";
import { unitRatio, useUnits } from "@/lib/units";
import { useAhead } from "@/lib/useAhead";
import { useMedia } from "@/lib/useMedia";
import { count, day } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/feedback/Notice";
import { QueryState } from "@/ui/feedback/QueryState";
import { CatalogPanel } from "./CatalogPanel";
import { ExploredTypes } from "./ExploredTypes";
import classes from "./ExplorePage.module.css";
import { type Change, type ExploreSearch, exploreSearchFrom, withChange } from "./search";
import { cellOf, columnsNamed, inShownUnits } from "./table/table";

/** Default region of the page and of the API. */
const HOME = "us-east-1";

interface ExplorePageProps {
  search: ExploreSearch;
  onSearch: (search: ExploreSearch, replace: boolean) => void;
  /** Link to the plan page with a type preselected; null if it cannot be planned. */
  planWith: (type: PlannedType) => ReactNode;
}

/** An instance type with its region and purchase option. */
export interface PlannedType {
  name: string;
  disks: number;
  /** Capacity of all disks [GB]; null if unknown. */
  capacity_gb: number | null;
  version: string;
  region: string;
  purchase: Purchase;
}

/** Explore page: the instance types of a region as one table, and a plot of any two columns. */
export function ExplorePage({ search: address, onSearch, planWith }: ExplorePageProps) {
  useDocumentTitle("Instances · Stowage");
  const [search, set] = useAhead(exploreSearchFrom({ ...address }), onSearch);
  const change = useCallback<Change>(
    (changes, pace = "same entry") =>
      set((now) => withChange(now, typeof changes === "function" ? changes(now) : changes), pace),
    [set],
  );
  const query = useQuery(catalogs);
  const known = query.data ?? [];
  const catalog = known.find(({ version }) => version === search.version) ?? known[0];
  const region = soldIn(catalog, search.region);
  return (
    <div className={`page ${classes.whole}`} style={{ maxWidth: 1640 }}>
      <h1 className={query.error !== null && query.data === undefined ? undefined : "spoken"}>Instances</h1>
      <QueryState
        query={query}
        kept=""
        stale="What is below is the last that was read."
        loading="Reading the catalog"
        heights={PARTS}
      />
      {query.data !== undefined && catalog === undefined && (
        <p>No catalog is loaded yet. The service loads those that it came with when it starts.</p>
      )}
      {catalog !== undefined && region !== undefined && (
        <Explored
          known={known}
          catalog={catalog}
          region={region}
          search={search}
          onChange={change}
          planWith={planWith}
        />
      )}
    </div>
  );
}

/** Return the requested region if the catalog has it, else the default region, else the first one. */
function soldIn(catalog: CatalogSummary | undefined, asked: string | undefined): string | undefined {
  const names = catalog?.regions.map(({ name }) => name) ?? [];
  return names.find((name) => name === asked) ?? names.find((name) => name === HOME) ?? names[0];
}

/** Heights of toolbar, table and plot while they are read [px]. */
const PARTS = [64, 560, 420];

interface ExploredProps extends Pick<ExplorePageProps, "planWith"> {
  known: readonly CatalogSummary[];
  catalog: CatalogSummary;
  region: string;
  search: ExploreSearch;
  onChange: Change;
}

function Explored({ known, catalog, region, search, onChange, planWith }: ExploredProps) {
  const purchase = search.purchase ?? "on-demand";
  const units = useUnits();
  const select = useCallback((found: InstanceTypeTable) => inShownUnits(found, units), [units]);
  const query = useQuery({ ...typeTable(catalog.version, region, purchase), select });
  const { data: table } = query;
  const narrow = useMedia("(max-width: 767px)");
  const where = (
    <div className={`${classes.where} no-print`}>
      <NativeSelect
        size="xs"
        label="Region"
        value={region}
        data={catalog.regions.map(({ name }) => name)}
        onChange={(event) => onChange({ region: event.currentTarget.value, type: undefined }, "new entry")}
      />
      <NativeSelect
        size="xs"
        label="Purchase option"
        value={purchase}
        data={PURCHASES.map((value) => ({ value, label: PURCHASE_WORDS[value] }))}
        onChange={(event) => onChange({ purchase: event.currentTarget.value }, "new entry")}
      />
      <NativeSelect
        size="xs"
        label="Catalog"
        value={catalog.version}
        data={known.map(({ version, as_of, searchable }) => ({
          value: version,
          label: `${version}, ${day(as_of)}${searchable ? "" : ", as published"}`,
        }))}
        onChange={(event) => onChange({ version: event.currentTarget.value, type: undefined }, "new entry")}
      />
    </div>
  );
  return (
    <>
      <section className="card" aria-label="Catalog">
        <p className="dim lead" data-testid="explore-sentence">
          {sentenceOf(catalog, region, purchase, query.isPlaceholderData ? undefined : table)}
        </p>
        {narrow ? (
          <Disclosure summary={`${region}, ${PURCHASE_WORDS[purchase].toLowerCase()}, ${catalog.version}`}>
            {() => where}
          </Disclosure>
        ) : (
          where
        )}
        <CatalogPanel catalog={catalog} known={known} region={region} />
      </section>
      <Instead asked={search} catalog={catalog} region={region} />
      {!catalog.searchable && (
        <Notice tone="plain">{catalog.title}. Shown as published; plans do not search it.</Notice>
      )}
      <QueryState
        query={query}
        kept="The other regions are still there."
        stale="What is below is the last that was read."
        loading="Reading the catalog"
        heights={PARTS}
      />
      {table !== undefined && (
        <ExploredTypes
          table={table}
          stale={query.isPlaceholderData}
          search={search}
          onChange={onChange}
          planWith={(row) =>
            catalog.searchable && table.region === region
              ? planWith({ ...disksOf(table, row), version: catalog.version, region, purchase })
              : null
          }
        />
      )}
    </>
  );
}

/** Notice shown if the URL names an unknown catalog or region. */
function Instead({ asked, catalog, region }: { asked: ExploreSearch; catalog: CatalogSummary; region: string }) {
  const { version } = catalog;
  if (asked.version !== undefined && asked.version !== version) {
    return (
      <Notice tone="warn">
        There is no catalog {asked.version}; this is {version}, {region}.
      </Notice>
    );
  }
  if (asked.region !== undefined && asked.region !== region) {
    return (
      <Notice tone="warn">
        Catalog {version} has no region {asked.region}; this is {region}.
      </Notice>
    );
  }
  return null;
}

const PRICE_WORDS: Record<Purchase, string> = {
  "on-demand": "an on-demand price",
  spot: "a spot price",
  "1-year": "a price for 1 year",
  "3-year": "a price for 3 years",
};

/**
 * Describe the current selection in a sentence.
 *
 * @param table table in which prices are counted; the sentence omits prices until it is loaded
 */
function sentenceOf(
  { version, as_of, regions, provider }: CatalogSummary,
  region: string,
  purchase: Purchase,
  table: InstanceTypeTable | undefined,
): string {
  const found = regions.find(({ name }) => name === region);
  const types = found?.instance_types ?? 0;
  const volumes =
    provider === "aws" && found?.volume_types === 0
      ? " EBS prices are not known here until the catalog is refreshed."
      : "";
  return (
    `${count(types)} instance types in ${region}${pricesWords(table, purchase, as_of)}; ` +
    `catalog ${version} of ${day(as_of)}.${volumes}${discountWords(table)}`
  );
}

/** Describe how many types have a price, with the price dates if they differ from the catalog's date. */
function discountWords(table: InstanceTypeTable | undefined): string {
  return table?.price_terms == null ? "" : ` Prices include ${table.price_terms.words} (${table.price_terms.details}).`;
}

function pricesWords(table: InstanceTypeTable | undefined, purchase: Purchase, as_of: string): string {
  const [column] = table === undefined ? [] : columnsNamed(table, [PRICE_OF[purchase]]);
  if (table === undefined || column === undefined) return "";
  const cells = table.rows.flatMap((row) => cellOf(table, row, column) ?? []);
  const number = cells.length === table.rows.length ? "all" : cells.length === 0 ? "none" : count(cells.length);
  const dates = cells.flatMap(({ source }) => source?.as_of ?? []).toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  const dated =
    first === undefined || last === undefined || (first === as_of && last === as_of)
      ? ""
      : first === last
        ? `, of ${day(first)}`
        : `, of ${day(first)} to ${day(last)}`;
  return `, ${number} with ${PRICE_WORDS[purchase]}${dated}`;
}

function disksOf(table: InstanceTypeTable, row: TableRow): Pick<PlannedType, "name" | "disks" | "capacity_gb"> {
  const value = (column: string) => row.values[table.columns.findIndex(({ name }) => name === column)] ?? null;
  const [capacity, unit] = [value("capacity_gb"), columnsNamed(table, ["capacity_gb"])[0]?.unit ?? "GB"];
  return {
    name: row.name,
    disks: value("disk_count") ?? 0,
    capacity_gb: capacity === null ? null : capacity * (unitRatio(unit, "GB") ?? 1),
  };
}
