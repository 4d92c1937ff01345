import type { MetricSeries, Metrics } from "@/api/runs/watches";
import { Chart } from "@/charts/Chart";
import { type MetricLine, metricFigure } from "@/charts/figures/metric";
import { filenameFrom } from "@/lib/csv";
import { RESOURCES } from "@/lib/resources";
import { moment, percent } from "@/lib/wording";
import { Value } from "@/ui/values/Value";
import { type Drawn, drawnOf, LINE_NAMES, metricWords, stepWords } from "./groups";

interface MetricChartsProps {
  metrics: Metrics;
  /** Name of the object, used for file names. */
  name: string;
  level?: 2 | 3;
}

/** A chart for each group of CloudWatch metrics, with the burst balance beside the model's. */
export function MetricCharts({ metrics, name, level = 2 }: MetricChartsProps) {
  return (
    <div className="columns">
      {drawnOf(metrics).map((drawn) => (
        <OneChart key={drawn.group.key} metrics={metrics} drawn={drawn} name={name} level={level} />
      ))}
    </div>
  );
}

const MODEL = "by the model";

function OneChart({ metrics, drawn, name, level }: MetricChartsProps & { drawn: Drawn }) {
  const { group, series } = drawn;
  const unit = series[0]?.unit ?? "share";
  const words = (value: number) => metricWords(value, unit);
  const lines = linesOf(metrics, drawn);
  const caption = captionOf(metrics, drawn);
  return (
    <Chart
      title={group.title}
      caption={caption}
      level={level}
      filename={filenameFrom(`${name} ${group.key}`)}
      data={() => ({
        columns: [
          { head: "Begins", copied: "at" },
          ...lines.map((line) => ({ head: line.name, copied: `${line.key}_${unit}`, number: true })),
        ],
        rows: Array.from({ length: metrics.steps }, (_, step) => {
          const at = new Date(Date.parse(metrics.start) + step * metrics.step_s * 1_000).toISOString();
          return {
            key: at,
            cells: [{ shown: moment(at), copied: at }, ...lines.map((line) => cellOf(line, step, words))],
          };
        }).filter(({ cells }) => cells.some((cell, index) => index > 0 && cell !== "")),
      })}
      label={`${group.title} over time. ${caption}`}
      figure={metricFigure({
        start_ms: Date.parse(metrics.start),
        step_s: metrics.step_s,
        lines,
        words,
        title: group.axis,
        ...(unit === "share" ? { top: 1 } : {}),
      })}
    />
  );
}

function cellOf({ values }: MetricLine, step: number, words: (value: number) => string) {
  const value = values[step];
  if (value === null || value === undefined) return "";
  return { copied: value, shown: <Value text={words(value)} exact={value} unit="" /> };
}

function linesOf(metrics: Metrics, { group, series }: Drawn): MetricLine[] {
  const { colour } = RESOURCES[group.kind];
  const measured = series.map((one, index) => ({
    key: `${one.name} ${one.of}`,
    name: nameOf(one, series),
    values: one.mean,
    ...(metrics.step_s > 60 ? { spread: { low: one.smallest, high: one.largest } } : {}),
    colour,
    dashed: index % 2 === 1,
  }));
  if (group.key !== "burst-balance" || metrics.expected === null) return measured;
  const model = { key: "expected", name: MODEL, values: metrics.expected.balance, colour: "var(--mantine-color-text)" };
  return [...measured, { ...model, dashed: true }];
}

/** Label a line by its metric, or by its device if several have the same metric. */
function nameOf(one: MetricSeries, all: readonly MetricSeries[]): string {
  return all.filter(({ name }) => name === one.name).length > 1 ? one.of : (LINE_NAMES[one.name] ?? one.title);
}

function captionOf(metrics: Metrics, { group, series }: Drawn): string {
  const together = series.find(({ of }) => of.startsWith("sum of") || of.startsWith("lowest of"))?.of;
  const parts = [group.caption, ...(together === undefined ? [] : [`Drawn is the ${together}.`]), stepWords(metrics)];
  const { expected } = metrics;
  if (group.key === "burst-balance" && expected !== null) {
    parts.push(
      expected.furthest === null
        ? "Dashed: what the model expects."
        : `Dashed: what the model expects, at most ${percent(expected.furthest)} of the bucket apart.`,
      expected.words,
    );
  }
  return parts.filter((part) => part !== "").join(" ");
}
