// Result of a sweep as a table: winners and costs, for the page, the clipboard and CSV.

import type { AxisSection, SweepAnswer } from "@/api/generated";
import type { ChartCell, ChartData } from "@/charts/Chart";
import { type CsvCell, csv, harmless } from "@/lib/csv";
import { resourceName } from "@/lib/resources";
import { count, duration, usd } from "@/lib/wording";
import { winnerName } from "./cell";
import { moneyOfSweep } from "./money";
import { QUANTITIES, spoken } from "./quantities";

const HEADS = [
  "winner",
  "nodes",
  "storage",
  "time_p10_s",
  "time_p50_s",
  "time_p90_s",
  "cost_p10_usd",
  "cost_p50_usd",
  "cost_p90_usd",
  "cost_always_on_usd",
  "limited_by",
  "meets_deadline",
  "sentence",
  "catalog",
  "model",
];

/** Format every computed cell as a line of CSV: all digits, units in the headers, and the versions of its inputs. */
export function sweepCsv(sweep: SweepAnswer): string {
  const { columns, rows } = sweep;
  const lines = sweep.cells.map(({ column, row, best, sentence }): CsvCell[] => [
    columns.values[column] ?? "",
    rows.values[row] ?? "",
    ...(best === null
      ? ["", "", "", "", "", "", "", "", "", "", "", ""]
      : [
          best.instance,
          best.nodes,
          best.storage_words,
          ...[best.time_s.p10, best.time_s.p50, best.time_s.p90],
          ...[best.cost_usd.p10, best.cost_usd.p50, best.cost_usd.p90],
          best.cost_always_on_usd ?? "",
          resourceName(best.bottleneck),
          best.meets_deadline ?? "",
        ]),
    sentence,
    sweep.catalog_version,
    sweep.model_version,
  ]);
  return csv([columns.quantity, rows.quantity, ...HEADS], lines);
}

/** Build the same table for the page. */
export function sweepTable(sweep: SweepAnswer): ChartData {
  const { columns, rows, cells } = sweep;
  const money = moneyOfSweep(sweep);
  const month = money.of === "month";
  return {
    columns: [
      { head: QUANTITIES[columns.quantity].label, copied: columns.quantity },
      { head: QUANTITIES[rows.quantity].label, copied: rows.quantity },
      { head: "Winner", copied: "winner" },
      { head: "Nodes", copied: "nodes", number: true },
      { head: month ? "Time of a run" : "Time", copied: "time_p50_s", number: true },
      month
        ? { head: "Monthly cost", copied: "cost_always_on_usd", number: true }
        : { head: "Cost", copied: "cost_p50_usd", number: true },
      { head: "Limited by", copied: "limited_by" },
    ],
    rows: cells.map(({ column, row, best }) => ({
      key: `${column}-${row}`,
      cells: [
        axisCell(columns, column),
        axisCell(rows, row),
        ...(best === null
          ? ["nothing fits", "", "", "", ""]
          : [
              winnerName(best),
              { shown: count(best.nodes), copied: best.nodes },
              { shown: duration(best.time_s.p50), copied: best.time_s.p50 },
              { shown: usd(money.at(best)), copied: money.at(best) },
              resourceName(best.bottleneck),
            ]),
      ],
    })),
  };
}

/** Text typed by users is escaped, since the copied table goes to other programs. */
function axisCell({ quantity, values }: AxisSection, index: number): ChartCell {
  const value = values[index] ?? "";
  return { shown: spoken(quantity, value), copied: harmless(value) };
}
