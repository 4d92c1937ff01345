import { Button } from "@mantine/core";
import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef } from "react";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { sortingIn } from "@/lib/sorting";
import { useMedia } from "@/lib/useMedia";
import { count, counted } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Pager, pageStart } from "@/ui/list/Pager";
import classes from "./ExploredTypes.module.css";
import {
  type Change,
  changesFilters,
  type ExploreSearch,
  exploreSearchFrom,
  FULL,
  filtersIn,
  isFull,
  isOpening,
  joined,
  listed,
  MEDIA_WORDS,
  MOST_COMPARED,
  NO_FILTERS,
  OPENING,
  toggled,
  withChange,
  withFilter,
} from "./search";
import { Compare } from "./selection/Compare";
import { TypeDrawer } from "./selection/TypeDrawer";
import { Toolbar } from "./Toolbar";
import { TypesPlot } from "./TypesPlot";
import { TypeCards } from "./table/TypeCards";
import { TypesTable } from "./table/TypesTable";
import { inOrder, keptRows, shownColumns, sortedRows } from "./table/table";
import { Views } from "./views/Views";

interface TableProps {
  table: InstanceTypeTable;
  /** True while the next table is loading. */
  stale: boolean;
  search: ExploreSearch;
  onChange: Change;
  planWith: (row: TableRow) => ReactNode;
}

/** Rows on a page, wide and narrow. */
const PAGE_ROWS = { wide: 50, narrow: 25 };

/** Types of the region: views, filters, table or compact rows by page, comparison, plot, and details of one. */
export function ExploredTypes({ table, stale, search: address, onChange: onAddress, planWith }: TableProps) {
  const narrow = useMedia("(max-width: 767px)");
  const list = useRef<HTMLElement>(null);
  const base = useMemo(() => inOrder(table), [table]);
  const [search, onChange] = useOpening(table, address, onAddress);
  const { name, media, traits, where, series, generation, sort, columns: chosen, compare, type: opened } = search;
  const { x, y, scale, size } = search;
  const ordered = useMemo(() => sortedRows(table, base, sortingIn(sort)), [table, base, sort]);
  const rows = useMemo(
    () => keptRows(table, ordered, exploreSearchFrom({ name, media, traits, where, series, generation })),
    [table, ordered, name, media, traits, where, series, generation],
  );
  const pageRows = narrow ? PAGE_ROWS.narrow : PAGE_ROWS.wide;
  const first = pageStart(Number(search.from ?? 1) - 1, pageRows, rows.length);
  const onRow = useCallback(
    (index: number) => {
      const start = pageStart(index, pageRows, rows.length);
      onChange({ from: start === 0 ? undefined : String(start + 1) });
    },
    [onChange, pageRows, rows.length],
  );
  const columns = useMemo(() => shownColumns(table, listed(chosen), narrow), [table, chosen, narrow]);
  const compared = useMemo(() => listed(compare), [compare]);
  const filters = useMemo(() => filtersIn(where), [where]);
  const sorting = useMemo(() => sortingIn(sort), [sort]);
  const onFilter = useCallback(
    (column: string, text: string) => onChange((now) => ({ where: withFilter(now.where, column, text) }), "typed"),
    [onChange],
  );
  const onSort = useCallback((next: string | undefined) => onChange({ sort: next }), [onChange]);
  const onOpen = useCallback((next: string) => onChange({ type: next }, "new entry"), [onChange]);
  const here = useMemo(() => new Set(table.rows.map((row) => row.name)), [table]);
  const onCompare = useCallback(
    (one: string) =>
      onChange((now) => ({ compare: joined(toggled(listed(now.compare), one, (each) => here.has(each))) })),
    [onChange, here],
  );
  const asked = useMemo(() => exploreSearchFrom({ x, y, scale, size }), [x, y, scale, size]);
  // The table follows each keystroke at once; the plot is deferred.
  const plotted = useDeferredValue(rows);
  const held = compared
    .flatMap((one): TableRow | TableRow[] => table.rows.find((row) => row.name === one) ?? [])
    .slice(0, MOST_COMPARED);
  const full = isFull(compared, (one) => here.has(one));
  const onName = useCallback((text: string) => onChange({ name: text }, "typed"), [onChange]);
  const shared = { table, rows, first, size: pageRows, columns, compared, full, opened, onCompare, onOpen };
  const plot = (
    <TypesPlot table={table} kept={plotted} compared={compared} asked={asked} onChange={onChange} onOpen={onOpen} />
  );
  const comparison = compared.length > 0 && (
    <Compare
      table={table}
      rows={held}
      missing={compared.filter((one) => !here.has(one))}
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
      <section
        ref={list}
        className="card"
        aria-label="Instance types"
        aria-busy={stale}
        data-stale={stale || undefined}
      >
        <p className="headline" role="status">
          {rowsSentence(rows.length, table, search)}
        </p>
        <Views search={search} onChange={onChange} />
        <div className={classes.toolbar}>{toolbar}</div>
        {!narrow && (
          <TypesTable
            {...shared}
            name={name ?? ""}
            filters={filters}
            sorting={sorting}
            onName={onName}
            onFilter={onFilter}
            onSort={onSort}
            onRow={onRow}
          />
        )}
        {narrow && rows.length > 0 && <TypeCards {...shared} />}
        {rows.length === 0 && <NothingKept onChange={onChange} />}
        <Pager
          rows="types"
          first={first}
          size={pageRows}
          total={rows.length}
          onFirst={(index) => {
            onRow(index);
            list.current?.scrollIntoView({ block: "start" });
          }}
        />
      </section>
      {comparison}
      {narrow ? <Disclosure summary="Plot of any two columns">{() => plot}</Disclosure> : plot}
      {opened !== undefined && (
        <Opened
          table={table}
          name={opened}
          compared={compared}
          full={full}
          onCompare={onCompare}
          onClose={() => onChange({ type: undefined })}
          planWith={planWith}
        />
      )}
    </>
  );
}

interface OpenedProps extends Pick<TableProps, "table" | "planWith"> {
  name: string;
  compared: readonly string[];
  full: boolean;
  onCompare: (name: string) => void;
  onClose: () => void;
}

/** Details of a type, with its actions. */
function Opened({ table, name, compared, full, onCompare, onClose, planWith }: OpenedProps) {
  const row = table.rows.find((one) => one.name === name);
  const chosen = compared.includes(name);
  return (
    <TypeDrawer
      version={table.catalog_version}
      region={table.region}
      name={name}
      onClose={onClose}
      actions={
        row !== undefined && (
          <>
            <Button
              variant="default"
              size="compact-sm"
              disabled={full && !chosen}
              title={full && !chosen ? FULL : undefined}
              onClick={() => onCompare(name)}
            >
              {chosen ? "No longer compare" : "Compare"}
            </Button>
            {planWith(row)}
          </>
        )
      }
    />
  );
}

/** Return the parameters with the filters that apply by default, and the function that changes them. */
function useOpening(table: InstanceTypeTable, address: ExploreSearch, onAddress: Change): [ExploreSearch, Change] {
  const opening = useMemo(
    () => isOpening(address) && keptRows(table, table.rows, exploreSearchFrom({ ...OPENING })).length > 0,
    [table, address],
  );
  const onChange = useCallback<Change>(
    (changes, pace) =>
      onAddress((now) => {
        const change = typeof changes === "function" ? changes(now) : changes;
        return opening && isOpening(now) && changesFilters(change) ? { ...OPENING, ...change } : change;
      }, pace),
    [opening, onAddress],
  );
  return [useMemo(() => (opening ? withChange(address, OPENING) : address), [opening, address]), onChange];
}

/** `Showing 84 of 1,330 types in us-east-1: storage optimized, current generation.` */
function rowsSentence(kept: number, { rows, region }: InstanceTypeTable, search: ExploreSearch): string {
  if (kept === rows.length) return `All ${counted(rows.length, "type")} in ${region}.`;
  const filters = [
    ...(search.series === "storage" ? ["storage optimized"] : []),
    ...(search.generation === "current" ? ["current generation"] : []),
    ...(search.media === undefined ? [] : [MEDIA_WORDS[search.media].replace("With", "with")]),
  ];
  const said = filters.length === 0 ? "" : `: ${filters.join(", ")}`;
  return `Showing ${count(kept)} of ${counted(rows.length, "type")} in ${region}${said}.`;
}

function NothingKept({ onChange }: Pick<TableProps, "onChange">) {
  return (
    <div className="empty">
      <p>No type passes all of these filters.</p>
      <Button variant="default" size="xs" onClick={() => onChange(NO_FILTERS)}>
        Show every type
      </Button>
    </div>
  );
}
