// Data of a report's chart as a table.

import type { Axis, Chart, Point } from "@/api/generated";
import type { ChartCell, ChartColumn, ChartData } from "@/charts/frame/ChartFrame";
import { shown } from "@/lib/plainText";
import { chance, count, duration, threeDigits, usd } from "@/lib/wording";

/** Format a value of an axis. */
export function axisWords(value: number, axis: Axis): string {
  if (axis.scale === "categories") return shown(axis.categories[value] ?? "");
  if (value < 0) return `−${axisWords(-value, axis)}`;
  if (axis.unit === "s") return duration(value);
  if (axis.unit.startsWith("USD")) return usd(value);
  if (axis.unit === "1") return chance(value);
  if (axis.unit === "%") return `${threeDigits(value)}%`;
  return Number.isInteger(value) ? count(value) : threeDigits(value);
}

/** Convert a chart to a table with a row per point: series, position, range and label. */
export function reportChartData(chart: Chart): ChartData {
  const points = chart.series.flatMap(({ name, points: of }) => of.map((point) => ({ name, point })));
  // Bars have their values along x, all other charts along y.
  const [first, second] =
    chart.chart === "bars" || chart.chart === "stacked" ? (["y", "x"] as const) : (["x", "y"] as const);
  const value = chart[second];
  const has = (test: (point: Point) => boolean) => points.some(({ point }) => test(point));
  const ranged = has(({ low, high }) => low !== null || high !== null);
  const labelled = has(({ label }) => label !== null);
  const valued = has((point) => point.value !== null);
  const near = has((point) => point.near_tie);
  const columns: ChartColumn[] = [
    { head: "Series", copied: "series" },
    column(chart[first], "Where"),
    column(value, "Value"),
    ...(ranged ? (["p10", "p90"] as const).map((head) => ({ ...column(value, head), head })) : []),
    ...(valued ? [{ head: "Shade", copied: "value", number: true }] : []),
    ...(labelled ? [{ head: "Label", copied: "label" }] : []),
    ...(near ? [{ head: "Near-tie", copied: "near_tie" }] : []),
  ];
  return {
    columns: columns.map((each, place) => ({ ...each, head: unlike(columns, place) })),
    rows: points.map(({ name, point }, place) => ({
      key: String(place),
      cells: [
        shown(name),
        cell(point[first], chart[first]),
        cell(point[second], value),
        ...(ranged ? [cell(point.low, value), cell(point.high, value)] : []),
        ...(valued ? [point.value === null ? "" : { shown: threeDigits(point.value), copied: point.value }] : []),
        ...(labelled ? [shown(point.label ?? "")] : []),
        ...(near ? [point.near_tie ? "near-tie" : ""] : []),
      ],
    })),
  };
}

function column(axis: Axis, otherwise: string): ChartColumn {
  const head = shown(axis.label) || otherwise;
  if (axis.scale === "categories") return { head };
  return { head, copied: axis.unit === "" ? head : `${head} [${axis.unit}]`, number: true };
}

/** Return a unique column head: repeated heads are numbered. */
function unlike(columns: ChartColumn[], place: number): string {
  const head = columns[place]?.head ?? "";
  const before = columns.slice(0, place).filter((each) => each.head === head).length;
  return before === 0 ? head : `${head} (${before + 1})`;
}

function cell(value: number | null, axis: Axis): ChartCell {
  if (value === null) return "";
  const words = axisWords(value, axis);
  return axis.scale === "categories" ? words : { shown: words, copied: value };
}
