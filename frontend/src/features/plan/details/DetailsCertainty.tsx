import { Group, Skeleton } from "@mantine/core";
import type { Figure, RangeSourceAnswer } from "@/api/generated";
import { Chart, type ChartCell, type ChartData } from "@/charts/Chart";
import { chartTable, percentCell, valueCell } from "@/charts/chartTable";
import { bars } from "@/charts/figure";
import { lossWords } from "@/features/plan/configurations/loss";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import { chance, day, duration, percent, threeDigits, usd } from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Table } from "@/ui/table/Table";
import { Risk } from "@/ui/values/Risk";
import { Value } from "@/ui/values/Value";
import classes from "./Details.module.css";

interface CertaintyDetailsProps {
  configuration: Configuration;
  /** Error of fetching the sources. */
  error: unknown;
  onRetry: () => void;
}

/** Range, its causes, and all figures it is based on. */
export function CertaintyDetails({ configuration, error, onRetry }: CertaintyDetailsProps) {
  return (
    <>
      <Range configuration={configuration} />
      <RangeSources configuration={configuration} />
      {configuration.sources !== false ? (
        <Provenance figures={configuration.provenance} />
      ) : error !== null && error !== undefined ? (
        <ProblemNotice error={error} kept="The figures above hold." onRetry={onRetry} />
      ) : (
        <Skeleton height={240} role="status" aria-label="Loading sources and assumptions" />
      )}
    </>
  );
}

function Range({ configuration }: { configuration: Configuration }) {
  const rows = [
    { name: "Time", range: configuration.time_s, words: duration, unit: "s" },
    { name: "Cost", range: configuration.cost_usd, words: usd, unit: "USD" },
  ];
  return (
    <section aria-label="Range">
      <Table
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          {
            head: <span className="spoken">Quantity</span>,
            name: "quantity",
            rowHead: true,
            cell: ({ name }) => name,
          },
          ...(["p10", "p50", "p90"] as const).map((quantile) => ({
            head: quantile,
            value: ({ range, words, unit }: (typeof rows)[number]) => [range[quantile], words, unit] as const,
          })),
        ]}
      />
      <ul className="bare" style={{ marginTop: 8 }}>
        {configuration.meets_deadline !== null && (
          <li>
            risk of missing the deadline: <Risk met={configuration.meets_deadline} />
          </li>
        )}
        {configuration.meets_budget !== null && (
          <li>chance to keep to the budget: {chance(configuration.meets_budget)}</li>
        )}
        <li>{lossWords(configuration)}</li>
      </ul>
    </section>
  );
}

/** Compute the relative changes of the time by one standard deviation of a source, down and up. */
function swing({ log_deviation, log_deviation_below }: RangeSourceAnswer): { down: number; up: number } {
  return { down: -Math.expm1(-(log_deviation_below ?? log_deviation)), up: Math.expm1(log_deviation) };
}

/** Tornado chart of the sources of the range, widest first. */
function RangeSources({ configuration }: { configuration: Configuration }) {
  const sources = configuration.range_sources.toSorted((a, b) => b.log_deviation - a.log_deviation);
  const widest = Math.max(0, ...sources.map((source) => swing(source).up));
  if (widest === 0) return null;
  const drawn = sources.map((source) => {
    const { down, up } = swing(source);
    return {
      key: source.name,
      label: source.name,
      text: `−${percent(down)} to +${percent(up)}`,
      from: 0.5 - down / (2 * widest),
      to: 0.5 + up / (2 * widest),
    };
  });
  return (
    <Chart
      level={3}
      title="What makes the range wide"
      filename="stowage-range-sources"
      data={() => sourcesTable(configuration)}
      caption={`How far one standard deviation of each source moves the time from its median. It is moved most by ${sources[0]?.name}.`}
      figure={bars(drawn, 0.5)}
    />
  );
}

function sourcesTable({ range_sources }: Configuration): ChartData {
  return chartTable(range_sources, ({ name }) => name, [
    { head: "Source", copied: "source", cell: ({ name }) => name },
    { head: "Down", copied: "down_percent", number: true, cell: (source) => percentCell(-swing(source).down) },
    { head: "Up", copied: "up_percent", number: true, cell: (source) => plusCell(swing(source).up) },
    {
      head: "Deviation of ln(time)",
      copied: "log_deviation",
      number: true,
      cell: ({ log_deviation }) => valueCell(log_deviation, threeDigits, ""),
    },
  ]);
}

function plusCell(share: number): ChartCell {
  return valueCell(100 * share, (value) => `+${threeDigits(value)}%`, "%");
}

/** Sort order of the figures: measured ones first. */
const KINDS: readonly Figure["kind"][] = ["measured", "published", "estimated", "given"];

function Provenance({ figures }: { figures: Figure[] }) {
  const sorted = figures.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  return (
    <section aria-label="Provenance">
      <Group justify="space-between" align="baseline" wrap="nowrap" gap={12}>
        <h3>Sources &amp; assumptions</h3>
        <CopyText label="Copy table" done="The table is copied." text={() => figuresText(sorted)} />
      </Group>
      <Table
        className={`plain ${classes.provenance}`}
        rows={sorted}
        keyOf={({ quantity, source }) => `${quantity} ${source}`}
        columns={[
          {
            head: "Figure and where it is from",
            cell: ({ quantity, kind, as_of, source }) => (
              <>
                <code className="code">{quantity}</code>
                <div className="dim small">
                  <span className="strong">{kind}</span>
                  {as_of !== null && <>, {day(as_of)}</>}. {source}
                </div>
              </>
            ),
          },
          {
            head: "Value",
            number: true,
            cell: (figure) => (
              <span className={`sourced ${classes.value}`} data-kind={figure.kind}>
                <Value text={figureText(figure)} exact={figure.value} unit={figure.unit} />
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}

function figureText({ value, unit }: Figure): string {
  return unit === "1" ? threeDigits(value) : `${threeDigits(value)} ${unit}`;
}

function figuresText(figures: Figure[]): string {
  const lines = figures.map(({ quantity, value, unit, kind, as_of, source }) =>
    [quantity, value, unit, kind, as_of ?? "", source].join("\t"),
  );
  return ["quantity\tvalue\tunit\tkind\tas_of\tsource", ...lines].join("\n");
}
