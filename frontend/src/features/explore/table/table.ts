// Rows and columns of the table of types: filter, order, selection, and CSV.

import type { FigureKind, Purchase, TableColumn, TableRow, TableSource } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { type ExploreSearch, filtersIn, listed, type Media } from "@/features/explore/search";
import { type CsvCell, csv } from "@/lib/csv";
import { PRICE_OF } from "@/lib/purchases";
import { asStated, unitText } from "@/lib/quantities";
import type { Sorting } from "@/lib/sorting";
import { chosenUnit, chosenUnits, inChosenUnit } from "@/lib/units";
import { filterFrom, type Keeps } from "./filter";

/** A column with its index in the rows. */
export interface Column extends ShownColumn {
  index: number;
}

interface ShownColumn extends TableColumn {
  /** Unit in which AWS states the figures, if they are shown in another one. */
  stated?: string;
}

/** A figure of a type with its source. */
export interface Cell {
  value: number;
  source: TableSource | null;
}

/** Convert a table to the chosen units; by default those in which AWS states the figures, like Gbit/s of the network. */
export function inShownUnits(table: InstanceTypeTable, units = chosenUnits()): InstanceTypeTable {
  const columns = table.columns.map((column): ShownColumn => {
    const stated = asStated(column.name, 1, column.unit).unit;
    const unit = chosenUnit(stated, units);
    // "MB/s per USD" names the unit in its title too.
    const [from = "", to = ""] = [stated, unit].map((each) => each.split(" ")[0]);
    return { ...column, title: column.title.replace(`${from} per`, `${to} per`), unit, stated };
  });
  const shown = (value: number | null, index: number) => {
    const { name, unit } = table.columns[index] ?? { name: "", unit: "" };
    if (columns[index]?.unit === unit) return value;
    const stated = asStated(name, value, unit);
    return inChosenUnit(stated.value, stated.unit, units).value;
  };
  return { ...table, columns, rows: table.rows.map((row) => ({ ...row, values: row.values.map(shown) })) };
}

/** Families that AWS calls storage optimized: D (dense storage), H (hard disks), I, Im and Is. */
const STORAGE_OPTIMIZED = /^(?:d|h|hs|hi|i|im|is)\d/;

/** Return the default columns of compact rows. */
function fewColumns(purchase: Purchase): string[] {
  return [
    ...["vcpus", "memory_gib", "disk_count", "capacity_gb", "storage_mb_per_s", "network_baseline_mb_per_s"],
    PRICE_OF[purchase],
  ];
}

/** Return the default columns. */
export function usualColumns(purchase: Purchase): string[] {
  return [
    ...["vcpus", "memory_gib", "disk_count", "capacity_gb", "storage_mb_per_s"],
    ...["ebs_baseline_mb_per_s", "network_baseline_mb_per_s"],
    ...[PRICE_OF[purchase], "usd_per_tb_hour", "storage_mb_per_s_per_usd"],
  ];
}

/** Find columns by name, in the order of the names; unknown names are skipped. */
export function columnsNamed(table: InstanceTypeTable, names: readonly string[]): Column[] {
  const found = new Map(table.columns.map((column, index) => [column.name, { ...column, index }]));
  return names.flatMap((name) => found.get(name) ?? []);
}

/** Return the requested columns, or the default ones if none of them exists. */
export function shownColumns(table: InstanceTypeTable, names: readonly string[], compact = false): Column[] {
  const chosen = columnsNamed(table, names);
  const usual = compact ? fewColumns(table.purchase) : usualColumns(table.purchase);
  return chosen.length > 0 ? chosen : columnsNamed(table, usual);
}

/** Return the figure of a row in a column; null if unknown. */
export function cellOf(table: InstanceTypeTable, row: TableRow, { index }: Column): Cell | null {
  const value = row.values[index];
  if (value === null || value === undefined) return null;
  const source = row.sources[index];
  return { value, source: source === null || source === undefined ? null : (table.sources[source] ?? null) };
}

export function kindOf(cell: Cell | null): FigureKind | undefined {
  return cell?.source?.kind;
}

/** Format the unit of a column; empty for counts. */
export function unitWords({ unit }: Pick<TableColumn, "unit">): string {
  return unitText(unit);
}

/** Return the unit to append to a column title; empty if the title already contains it. */
export function headUnit({ title, unit }: Pick<TableColumn, "title" | "unit">): string {
  const words = unitText(unit);
  return title.endsWith(words) ? "" : words;
}

/** Format the title of a column with its unit: `Memory [GiB]`. */
export function titled(column: Pick<TableColumn, "title" | "unit">): string {
  const unit = headUnit(column);
  return unit === "" ? column.title : `${column.title} [${unit}]`;
}

const hasMedia: Record<Media, (row: TableRow) => boolean> = {
  ssd: ({ disk_media }) => disk_media === "ssd",
  hdd: ({ disk_media }) => disk_media === "hdd",
  any: ({ disk_media }) => disk_media !== null,
  none: ({ disk_media }) => disk_media === null,
};

export type Filters = Pick<ExploreSearch, "name" | "media" | "traits" | "where" | "series" | "generation">;

/** Filter the rows by every filter. An invalid filter keeps all rows; its field shows the error. */
export function keptRows(
  table: InstanceTypeTable,
  rows: readonly TableRow[],
  { name, media, traits, where, series, generation }: Filters,
): readonly TableRow[] {
  const words = (name ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = listed(traits);
  const keeps = columnFilters(table, where);
  return rows.filter(
    (row) =>
      (series !== "storage" || STORAGE_OPTIMIZED.test(row.family)) &&
      (generation === undefined || !row.traits.includes("previous generation")) &&
      words.every((word) => row.name.includes(word)) &&
      (media === undefined || hasMedia[media](row)) &&
      wanted.every((trait) => row.traits.some((has) => has === trait)) &&
      keeps.every(([index, keep]) => keep(row.values[index] ?? null)),
  );
}

function columnFilters(table: InstanceTypeTable, where: string | undefined): [number, Keeps][] {
  const filters = filtersIn(where);
  return columnsNamed(table, [...filters.keys()]).flatMap(({ name, index, unit, stated }): [number, Keeps][] => {
    const filter = filterFrom(filters.get(name) ?? "", unit, stated);
    return "keeps" in filter ? [[index, filter.keeps]] : [];
  });
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** Sort the rows by family, smallest first. */
export function inOrder(table: InstanceTypeTable): TableRow[] {
  const vcpus = table.columns.findIndex(({ name }) => name === "vcpus");
  return table.rows.toSorted(
    (a, b) =>
      NAMES.compare(a.family, b.family) ||
      (a.values[vcpus] ?? 0) - (b.values[vcpus] ?? 0) ||
      NAMES.compare(a.name, b.name),
  );
}

/** Sort rows by a column, unknown values last in either direction; the sort is stable. */
export function sortedRows(
  table: InstanceTypeTable,
  rows: readonly TableRow[],
  sorting: Sorting | undefined,
): readonly TableRow[] {
  if (sorting === undefined) return rows;
  if (sorting.column === "name") return sorting.descending ? rows.toReversed() : rows;
  const [column] = columnsNamed(table, [sorting.column]);
  if (column === undefined) return rows;
  const sign = sorting.descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [a.values[column.index] ?? null, b.values[column.index] ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}

/** Format the visible rows and columns as CSV, in the current order, with units in the headers and all digits. */
export function tableCsv(rows: readonly TableRow[], columns: readonly Column[], terms?: string): string {
  const named = terms === undefined ? [] : [terms];
  return csv(
    ["Type", ...columns.map(titled), ...named.map(() => "Price terms")],
    rows.map((row) => [row.name, ...columns.map(({ index }): CsvCell => row.values[index] ?? ""), ...named]),
  );
}

/** Return all traits found in the table. */
export function allTraits(table: InstanceTypeTable): string[] {
  return [...new Set(table.rows.flatMap(({ traits }) => traits))].sort();
}
