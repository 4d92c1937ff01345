// Data of charts as tables, declared by their columns.

import type { ChartCell, ChartColumn, ChartData } from "@/charts/frame/ChartFrame";
import { duration, threeDigits, usd } from "@/lib/wording";
import { Value } from "@/ui/values/Value";

interface TableColumn<Row> extends ChartColumn {
  cell: (row: Row) => ChartCell;
}

/** Build a chart's data with a row for each item. */
export function chartTable<Row>(
  rows: readonly Row[],
  keyOf: (row: Row, place: number) => string,
  columns: TableColumn<Row>[],
): ChartData {
  return {
    columns,
    rows: rows.map((row, place) => ({ key: keyOf(row, place), cells: columns.map(({ cell }) => cell(row)) })),
  };
}

/** Build the cell of a number: hovering and copying give all digits. Null is unknown. */
export function valueCell(value: number | null, words: (value: number) => string, unit: string): ChartCell {
  if (value === null) return "—";
  const text = value < 0 ? `−${words(-value)}` : words(value);
  return { copied: value, shown: <Value text={text} exact={value} unit={unit} /> };
}

/** Build the cell of a duration [s]. */
export function secondsCell(seconds: number | null): ChartCell {
  return valueCell(seconds, (value) => (value === 0 ? "0" : duration(value)), "s");
}

/** Build the cell of an amount [USD]. */
export function usdCell(amount: number | null): ChartCell {
  return valueCell(amount, usd, "USD");
}

/** Build the cell of a share, copied as a percentage. */
export function percentCell(share: number | null): ChartCell {
  return valueCell(share === null ? null : 100 * share, (value) => `${threeDigits(value)}%`, "%");
}
