import { SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import { Chart, type ChartCell, type ChartData } from "@/charts/Chart";
import { chartTable, valueCell } from "@/charts/chartTable";
import { type ComparedPoint, predictedFigure, type Upwards } from "@/charts/figures/predictedActual";
import { count, counted } from "@/lib/wording";
import { Value } from "@/ui/values/Value";
import type { CaseAnswer } from "./answer";
import { BAND_PCT, isMiss, worstCases } from "./cases";
import { GROUP_MARKS } from "./kinds";
import { GROUPS } from "./search";
import { errorWords, exactWords, inequalityWords, rangeWords, valueWords } from "./words";

const LABELLED = 5;

interface CasesChartProps {
  cases: readonly CaseAnswer[];
  /** Filtered cases; the others are drawn faintly. */
  kept: readonly CaseAnswer[];
  open: string | undefined;
  upwards: Upwards;
  onUpwards: (upwards: Upwards) => void;
  onPick: (id: string) => void;
}

/** Chart of predicted against actual values, with a description and a data table. */
export function CasesChart({ cases, kept, open, upwards, onUpwards, onPick }: CasesChartProps) {
  const points = useMemo(() => {
    const shown = new Set(kept.map(({ id }) => id));
    const labelled = new Set(worstCases(cases, LABELLED).map(({ id }) => id));
    return cases.flatMap((one) => pointOf(one, labelled.has(one.id), !shown.has(one.id)));
  }, [cases, kept]);
  const figure = useMemo(() => (points.length === 0 ? null : predictedFigure(points, upwards)), [points, upwards]);
  const caption = captionOf(cases, points, upwards);
  return (
    <Chart
      title="Predicted against actual"
      filename="stowage-validation"
      data={() => casesTable(cases)}
      caption={caption}
      controls={
        <SegmentedControl
          size="xs"
          className="no-print"
          aria-label="What stands upwards"
          value={upwards}
          onChange={(value) => onUpwards(value === "ratio" ? "ratio" : "predicted")}
          data={[
            { value: "predicted", label: "Predicted" },
            { value: "ratio", label: "Predicted ÷ actual" },
          ]}
        />
      }
      label="Predicted against actual, each case a mark; the smallest first"
      figure={figure}
      selected={open}
      onPick={onPick}
    >
      {figure === null && <p className="dim">No case has both a predicted and an actual figure.</p>}
    </Chart>
  );
}

/** Convert a case to a mark; empty if a figure is missing or does not fit a logarithmic axis. */
function pointOf(one: CaseAnswer, labelled: boolean, faint: boolean): ComparedPoint[] {
  const { id, quantity, kind, group, relation, predicted, actual, range } = one;
  if (predicted === null || actual === null || predicted <= 0 || actual <= 0) return [];
  return [
    {
      key: id,
      name: quantity,
      facts: factsOf(one, predicted, actual),
      kind,
      group,
      predicted,
      actual,
      range: range !== null && range.p90 > 0 ? range : null,
      bound: relation === "equal" ? null : relation === "at least" ? "above" : "below",
      label: labelled ? quantity : null,
      faint,
    },
  ];
}

function factsOf(one: CaseAnswer, predicted: number, actual: number): string[] {
  const { unit, range, error_pct, kind, group } = one;
  const all = (words: string, exact: string) => (words === exact ? words : `${words} (${exact})`);
  const both = (value: number) => all(valueWords(value, unit), exactWords(value, unit));
  const error = error_pct === null ? [] : [`error ${all(errorWords(error_pct), `${error_pct}%`)}`];
  return [
    `predicted ${both(predicted)}`,
    ...(range === null ? [] : [`p10–p90 ${rangeWords(range, unit)} (${range.p10}–${exactWords(range.p90, unit)})`]),
    `actual ${both(actual)}`,
    inequalityWords(one) ?? error[0] ?? "",
    `${kind}, ${group}`,
  ].filter((fact) => fact !== "");
}

/** Describe the chart: the number of cases in the band, and the meaning of the marks. */
function captionOf(cases: readonly CaseAnswer[], points: readonly ComparedPoint[], upwards: Upwards): string {
  const held = cases.filter(({ kind, error_pct }) => kind !== "context" && error_pct !== null);
  const within = held.filter((one) => !isMiss(one)).length;
  const groups = GROUPS.filter((group) => points.some((point) => point.group === group));
  const missing = cases.length - points.length;
  const perfect = upwards === "ratio" ? "1, where a perfect prediction stands" : "the diagonal";
  return [
    `Context aside, ${count(within)} of ${counted(held.length, "case")} lie in the band, ±${BAND_PCT}% around ` +
      `${perfect}; the furthest off are named.`,
    `Each mark stands in its own unit, with a whisker from p10 to p90: ${groups
      .map((group) => `${GROUP_MARKS[group]}\u00a0${group.replace(" ", "\u00a0")}`)
      .join(", ")}.`,
    ...(points.some(({ bound }) => bound !== null) ? ["An arrow points to where a bound may lie."] : []),
    ...(missing > 0 ? [`Without two figures above zero, and in the table only: ${counted(missing, "case")}.`] : []),
  ].join(" ");
}

function casesTable(cases: readonly CaseAnswer[]): ChartData {
  return chartTable(cases, ({ id }) => id, [
    { head: "Quantity", copied: "quantity", cell: ({ quantity }) => quantity },
    { head: "Kind", copied: "kind", cell: ({ kind }) => kind },
    { head: "Group", copied: "group", cell: ({ group }) => group },
    { head: "Unit", copied: "unit", cell: ({ unit }) => unit },
    { head: "Relation", copied: "relation", cell: ({ relation }) => relation },
    { head: "Predicted", copied: "predicted", number: true, cell: (one) => figureCell(one.predicted, one.unit) },
    { head: "p10", copied: "predicted_p10", number: true, cell: ({ range, unit }) => figureCell(range?.p10, unit) },
    { head: "p90", copied: "predicted_p90", number: true, cell: ({ range, unit }) => figureCell(range?.p90, unit) },
    { head: "Actual", copied: "actual", number: true, cell: ({ actual, unit }) => figureCell(actual, unit) },
    {
      head: "Error",
      copied: "error_pct",
      number: true,
      cell: ({ error_pct }) =>
        error_pct === null
          ? ""
          : { copied: error_pct, shown: <Value text={errorWords(error_pct)} exact={error_pct} unit="%" /> },
    },
    { head: "Source", copied: "source", cell: ({ source }) => source },
  ]);
}

function figureCell(value: number | null | undefined, unit: string): ChartCell {
  return value == null ? "" : valueCell(value, (positive) => valueWords(positive, unit), unit);
}
