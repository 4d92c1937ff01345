import { Button, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useDocumentTitle, useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useDeferredValue, useMemo } from "react";
import {
  type CatalogueSummary,
  catalogues,
  type InstanceTypeTable,
  PURCHASES,
  type TableRow,
  typeTable,
} from "@/api/catalogues";
import { count, day } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/Notice";
import { ProblemNotice } from "@/ui/ProblemNotice";
import { CataloguePanel } from "./CataloguePanel";
import { Compare } from "./Compare";
import classes from "./ExplorePage.module.css";
import {
  type ExploreSearch,
  exploreSearchFrom,
  filtersIn,
  joined,
  listed,
  sortingIn,
  toggled,
  withFilter,
} from "./search";
import { Toolbar } from "./Toolbar";
import { TypeCards } from "./TypeCards";
import { TypeDrawer } from "./TypeDrawer";
import { TypesPlot } from "./TypesPlot";
import { TypesTable } from "./TypesTable";
import { inOrder, keptRows, shownColumns, sortedRows } from "./table";
import { type Change, useAheadSearch } from "./useAheadSearch";

/** Where people look first, and where the service answers if nobody says where. */
const HOME = "us-east-1";

const PURCHASE_WORDS = {
  "on-demand": "On demand",
  spot: "Spot",
  "1-year": "1 year committed",
  "3-year": "3 years committed",
} as const;

interface ExplorePageProps {
  search: ExploreSearch;
  onSearch: (search: ExploreSearch, replace: boolean) => void;
  /** Leads to the plan page with a type, of a version in a region; null where no plan can be made of it. */
  predictOn: (type: { name: string; disks: number; version: string; region: string }) => ReactNode;
}

/** Everything that is sold in a region: one table, and any two columns of it as a plot. */
export function ExplorePage({ search: address, onSearch, predictOn }: ExplorePageProps) {
  useDocumentTitle("Explore · Stowage");
  const [search, change] = useAheadSearch(address, onSearch);
  const query = useQuery(catalogues);
  const known = query.data ?? [];
  const catalogue = known.find(({ version }) => version === search.version) ?? known[0];
  const region = regionOf(catalogue, search.region);
  return (
    <div className={classes.page}>
      <h1 className={query.error !== null && query.data === undefined ? classes.failed : "spoken"}>Explore</h1>
      {query.error !== null && (
        <ProblemNotice
          error={query.error}
          kept={query.data === undefined ? "" : "What is below is the last that was read."}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <Loading />}
      {query.data !== undefined && catalogue === undefined && (
        <p>No catalogue is loaded yet. The service loads those that it came with when it starts.</p>
      )}
      {catalogue !== undefined && region !== undefined && (
        <Explored
          known={known}
          catalogue={catalogue}
          region={region}
          search={search}
          onChange={change}
          predictOn={predictOn}
        />
      )}
    </div>
  );
}

function regionOf(catalogue: CatalogueSummary | undefined, asked: string | undefined): string | undefined {
  const names = catalogue?.regions.map(({ name }) => name) ?? [];
  return names.find((name) => name === asked) ?? names.find((name) => name === HOME) ?? names[0];
}

function Loading() {
  return (
    <Stack gap="md" role="status" aria-label="Reading the catalogue">
      <Skeleton height={64} />
      <Skeleton height={560} />
      <Skeleton height={420} />
    </Stack>
  );
}

interface ExploredProps extends Pick<ExplorePageProps, "predictOn"> {
  known: readonly CatalogueSummary[];
  catalogue: CatalogueSummary;
  region: string;
  search: ExploreSearch;
  onChange: Change;
}

function Explored({ known, catalogue, region, search, onChange, predictOn }: ExploredProps) {
  const purchase = search.purchase ?? "on-demand";
  const query = useQuery(typeTable(catalogue.version, region, purchase));
  const { data: table } = query;
  return (
    <>
      <section className="card" aria-label="Catalogue">
        <p className={classes.sentence} data-testid="explore-sentence">
          {sentenceOf(catalogue, region)}
        </p>
        <div className={`${classes.where} no-print`}>
          <NativeSelect
            size="xs"
            label="Region"
            value={region}
            data={catalogue.regions.map(({ name }) => name)}
            onChange={(event) => onChange({ region: event.currentTarget.value, type: undefined }, "push")}
          />
          <NativeSelect
            size="xs"
            label="Instances are paid"
            value={purchase}
            data={PURCHASES.map((value) => ({ value, label: PURCHASE_WORDS[value] }))}
            onChange={(event) => onChange({ purchase: event.currentTarget.value }, "push")}
          />
          <NativeSelect
            size="xs"
            label="Catalogue"
            value={catalogue.version}
            data={known.map(({ version, as_of, searchable }) => ({
              value: version,
              label: `${version}, ${day(as_of)}${searchable ? "" : ", as published"}`,
            }))}
            onChange={(event) => onChange({ version: event.currentTarget.value, type: undefined }, "push")}
          />
        </div>
        <CataloguePanel catalogue={catalogue} known={known} region={region} />
      </section>
      {!catalogue.searchable && (
        <Notice tone="plain">{catalogue.title}. Shown as published; plans do not search it.</Notice>
      )}
      {query.error !== null && (
        <ProblemNotice
          error={query.error}
          kept={table === undefined ? "The other regions are still there." : "What is below is the last that was read."}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <Loading />}
      {table !== undefined && (
        <Table
          table={table}
          stale={query.isPlaceholderData}
          search={search}
          onChange={onChange}
          predictOn={(name, disks) =>
            catalogue.searchable ? predictOn({ name, disks, version: catalogue.version, region }) : null
          }
        />
      )}
    </>
  );
}

/** What is looked at, in a sentence. */
function sentenceOf({ version, as_of, regions }: CatalogueSummary, region: string): string {
  const found = regions.find(({ name }) => name === region);
  const [types, priced] = [found?.instance_types ?? 0, found?.priced ?? 0];
  const prices = priced === types ? "all with a price" : `${count(priced)} with a price`;
  return `${count(types)} instance types in ${region}, ${prices}; catalogue ${version} of ${day(as_of)}.`;
}

interface TableProps {
  table: InstanceTypeTable;
  /** The next one is on its way. */
  stale: boolean;
  search: ExploreSearch;
  onChange: Change;
  predictOn: (name: string, disks: number) => ReactNode;
}

function Table({ table, stale, search, onChange, predictOn }: TableProps) {
  const narrow = useMediaQuery("(max-width: 767px)", undefined, { getInitialValueInEffect: false }) ?? false;
  const { name, media, traits, where, sort, columns: chosen, compare, type: opened } = search;
  const { x, y, scale, size } = search;
  const base = useMemo(() => inOrder(table), [table]);
  const ordered = useMemo(() => sortedRows(table, base, sortingIn(sort)), [table, base, sort]);
  const rows = useMemo(
    () => keptRows(table, ordered, exploreSearchFrom({ name, media, traits, where })),
    [table, ordered, name, media, traits, where],
  );
  const columns = useMemo(() => shownColumns(table, listed(chosen)), [table, chosen]);
  const compared = useMemo(() => listed(compare), [compare]);
  const filters = useMemo(() => filtersIn(where), [where]);
  const sorting = useMemo(() => sortingIn(sort), [sort]);
  const onFilter = useCallback(
    (column: string, text: string) => onChange((now) => ({ where: withFilter(now.where, column, text) }), "typed"),
    [onChange],
  );
  const onSort = useCallback((next: string | undefined) => onChange({ sort: next }), [onChange]);
  const onOpen = useCallback((next: string) => onChange({ type: next }, "push"), [onChange]);
  const onCompare = useCallback(
    (one: string) => onChange((now) => ({ compare: joined(toggled(listed(now.compare), one)) })),
    [onChange],
  );
  const asked = useMemo(() => exploreSearchFrom({ x, y, scale, size }), [x, y, scale, size]);
  // The table answers each key at once; the plot follows when there is time.
  const plotted = useDeferredValue(rows);
  const held = compared.flatMap((one): TableRow | TableRow[] => table.rows.find((row) => row.name === one) ?? []);
  const onName = useCallback((text: string) => onChange({ name: text }, "typed"), [onChange]);
  const shared = { table, rows, columns, compared, opened, onCompare, onOpen };
  const openedRow = table.rows.find((row) => row.name === opened);
  const plot = (
    <TypesPlot table={table} kept={plotted} compared={compared} asked={asked} onChange={onChange} onOpen={onOpen} />
  );
  const comparison = held.length > 0 && (
    <Compare
      table={table}
      rows={held}
      onRemove={onCompare}
      onClear={() => onChange({ compare: undefined })}
      onOpen={onOpen}
    />
  );
  const toolbar = (
    <Toolbar
      table={table}
      rows={rows}
      columns={columns}
      search={search}
      narrow={narrow}
      onChange={onChange}
      onFilter={onFilter}
    />
  );
  return (
    <>
      <section className="card" aria-label="Instance types" aria-busy={stale} data-stale={stale || undefined}>
        {toolbar}
        {!narrow && (
          <TypesTable
            {...shared}
            name={name ?? ""}
            filters={filters}
            sorting={sorting}
            onName={onName}
            onFilter={onFilter}
            onSort={onSort}
          />
        )}
        {rows.length === 0 && <NothingKept onChange={onChange} />}
      </section>
      {comparison}
      {/* A list of a thousand cards has nothing below it that anybody would find. */}
      {narrow ? <Disclosure summary="Plot of any two columns">{() => plot}</Disclosure> : plot}
      {narrow && rows.length > 0 && <TypeCards {...shared} />}
      {opened !== undefined && (
        <TypeDrawer
          version={table.catalogue_version}
          region={table.region}
          name={opened}
          onClose={() => onChange({ type: undefined })}
          actions={
            <>
              {openedRow !== undefined && (
                <Button variant="default" size="compact-sm" onClick={() => onCompare(opened)}>
                  {compared.includes(opened) ? "No longer compare" : "Compare"}
                </Button>
              )}
              {openedRow !== undefined && predictOn(opened, diskCount(table, openedRow))}
            </>
          }
        />
      )}
    </>
  );
}

function diskCount(table: InstanceTypeTable, row: TableRow): number {
  return row.values[table.columns.findIndex(({ name }) => name === "disk_count")] ?? 0;
}

function NothingKept({ onChange }: Pick<TableProps, "onChange">) {
  return (
    <div className={classes.empty}>
      <p>No type passes all of these filters.</p>
      <Button
        variant="default"
        size="xs"
        onClick={() => onChange({ name: undefined, media: undefined, traits: undefined, where: undefined })}
      >
        Show every type
      </Button>
    </div>
  );
}
