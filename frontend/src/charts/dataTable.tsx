import type { ChartCell, ChartColumn, ChartData } from "@/charts/frame/ChartFrame";
import { Value } from "@/ui/values/Value";

interface DataColumn<Row> extends ChartColumn {
  cell: (row: Row) => ChartCell;
}

/** Build the data of a chart: a table declared by its columns. */
export function dataTable<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  columns: DataColumn<Row>[],
): ChartData {
  return { columns, rows: rows.map((row) => ({ key: keyOf(row), cells: columns.map(({ cell }) => cell(row)) })) };
}

/** Build the cell of a number: displayed in words, copied exactly; empty if it is not known. */
export function numberCell(value: number | null | undefined, words: (value: number) => string, unit = ""): ChartCell {
  return value == null ? "" : { copied: value, shown: <Value text={words(value)} exact={value} unit={unit} /> };
}
