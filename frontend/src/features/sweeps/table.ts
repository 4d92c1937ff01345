// Result of a sweep as a table: winners and costs, for the page, the clipboard and CSV.

import type { AxisSection, CellBestAnswer, SweepAnswer, SweepCellAnswer } from "@/api/generated";
import type { ChartCell, ChartData } from "@/charts/Chart";
import { chartTable } from "@/charts/chartTable";
import { type CsvCell, csv, harmless } from "@/lib/csv";
import { resourceName } from "@/lib/resources";
import { count, duration, usd } from "@/lib/wording";
import { typeName } from "./cell";
import { moneyOfSweep } from "./money";
import { isNearTie, runnerUpWords } from "./nearTie";
import { QUANTITIES, spoken } from "./quantities";

/** Columns of a winner in the CSV file; empty where nothing fits. */
const OF_BEST: readonly (readonly [head: string, value: (best: CellBestAnswer) => CsvCell | null])[] = [
  ["winner", ({ instance }) => instance],
  ["nodes", ({ nodes }) => nodes],
  ["storage", ({ storage_words }) => storage_words],
  ["time_p10_s", ({ time_s }) => time_s.p10],
  ["time_p50_s", ({ time_s }) => time_s.p50],
  ["time_p90_s", ({ time_s }) => time_s.p90],
  ["cost_p10_usd", ({ cost_usd }) => cost_usd.p10],
  ["cost_p50_usd", ({ cost_usd }) => cost_usd.p50],
  ["cost_p90_usd", ({ cost_usd }) => cost_usd.p90],
  ["cost_always_on_usd", ({ cost_always_on_usd }) => cost_always_on_usd ?? null],
  ["limited_by", ({ bottleneck }) => resourceName(bottleneck)],
  ["meets_deadline", ({ meets_deadline }) => meets_deadline],
  ["second_best", ({ runner_up }) => (runner_up === null ? null : typeName(runner_up))],
  ["second_best_nodes", ({ runner_up }) => runner_up?.nodes ?? null],
  ["second_best_behind", ({ runner_up }) => runner_up?.behind ?? null],
  ["near_tie", (best) => String(isNearTie(best))],
];

/** Format every computed cell as a line of CSV: all digits, units in the headers, and the versions of its inputs. */
export function sweepCsv({ columns, rows, cells, catalog_version, model_version, price_terms }: SweepAnswer): string {
  const terms = price_terms?.words;
  return csv(
    [
      columns.quantity,
      rows.quantity,
      ...OF_BEST.map(([head]) => head),
      "sentence",
      "catalog",
      "model",
      ...(terms ? ["price_terms"] : []),
    ],
    cells.map(({ column, row, best, sentence }): CsvCell[] => [
      columns.values[column] ?? "",
      rows.values[row] ?? "",
      ...OF_BEST.map(([, value]) => (best && value(best)) ?? ""),
      ...[sentence, catalog_version, model_version, ...(terms ? [terms] : [])],
    ]),
  );
}

/** Build the same table for the page. */
export function sweepTable(sweep: SweepAnswer): ChartData {
  const { columns, rows, cells } = sweep;
  const money = moneyOfSweep(sweep);
  const month = money.of === "month";
  return chartTable(cells, ({ column, row }) => `${column}-${row}`, [
    { head: QUANTITIES[columns.quantity].label, copied: columns.quantity, cell: (at) => axisCell(columns, at.column) },
    { head: QUANTITIES[rows.quantity].label, copied: rows.quantity, cell: (at) => axisCell(rows, at.row) },
    { head: "Winner", copied: "winner", cell: ({ best }) => (best === null ? "nothing fits" : typeName(best)) },
    ofBest("Nodes", "nodes", ({ nodes }) => nodes, count),
    ofBest(month ? "Time of a run" : "Time", "time_p50_s", ({ time_s }) => time_s.p50, duration),
    ofBest(month ? "Monthly cost" : "Cost", month ? "cost_always_on_usd" : "cost_p50_usd", money.at, usd),
    {
      head: "Limited by",
      copied: "limited_by",
      cell: ({ best }) => (best === null ? "" : resourceName(best.bottleneck)),
    },
    { head: "Second best", copied: "second_best", cell: ({ best }) => (best && runnerUpWords(best, sweep)) ?? "" },
    { head: "Near-tie", copied: "near_tie", cell: ({ best }) => (best !== null && isNearTie(best) ? "near-tie" : "") },
  ]);
}

/** Build the column of a figure of the winners. */
function ofBest(head: string, copied: string, at: (best: CellBestAnswer) => number, words: (value: number) => string) {
  const cell = ({ best }: SweepCellAnswer) => (best === null ? "" : { shown: words(at(best)), copied: at(best) });
  return { head, copied, number: true, cell };
}

/** Text typed by users is escaped, since the copied table goes to other programs. */
function axisCell({ quantity, values }: AxisSection, index: number): ChartCell {
  const value = values[index] ?? "";
  return { shown: spoken(quantity, value), copied: harmless(value) };
}
