import { Button, Group, SegmentedControl, TextInput } from "@mantine/core";
import { memo, useCallback, useMemo } from "react";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { Chart, type ChartData } from "@/charts/Chart";
import { chartTable } from "@/charts/chartTable";
import { type Band, type ScatterPoint, scatterFigure } from "@/charts/figures/scatter";
import { withUnit } from "@/lib/quantities";
import { gigabytesIn } from "@/lib/sizes";
import { unitRatio } from "@/lib/units";
import { count, counted, threeDigits } from "@/lib/wording";
import { fieldsOf } from "@/ui/forms/fields";
import type { Change, ExploreSearch } from "./search";
import classes from "./TypesPlot.module.css";
import { type Column, columnsNamed, titled } from "./table/table";

const CAPACITY = "capacity_gb";
const STORAGE = "storage_mb_per_s";
const NETWORK = "network_baseline_mb_per_s";
const USUAL = { x: CAPACITY, y: STORAGE, size: "100 TB" };

const PRESETS = [
  { label: "Disk throughput (half read, half write) against capacity", x: CAPACITY, y: STORAGE },
  { label: "Disk throughput (half read, half write) against network", x: NETWORK, y: STORAGE },
] as const;

interface TypesPlotProps {
  table: InstanceTypeTable;
  kept: readonly TableRow[];
  compared: readonly string[];
  /** Plot settings from the URL. */
  asked: Pick<ExploreSearch, "x" | "y" | "scale" | "size">;
  onChange: Change;
  onOpen: (name: string) => void;
}

/** Scatter plot of any two columns; types excluded by the filters are faint. */
export const TypesPlot = memo(function TypesPlot(props: TypesPlotProps) {
  const { table, kept, compared, asked, onChange, onOpen } = props;
  const [xName, yName] = [asked.x ?? USUAL.x, asked.y ?? USUAL.y];
  const { x, y } = useMemo(
    () => ({ x: columnsNamed(table, [xName])[0], y: columnsNamed(table, [yName])[0] }),
    [table, xName, yName],
  );
  const log = asked.scale !== "linear";
  const points = useMemo(
    () => (x === undefined || y === undefined ? [] : pointsOf(table, kept, compared, x, y, log)),
    [table, kept, compared, x, y, log],
  );
  const size = asked.size ?? USUAL.size;
  const bands = useMemo(() => bandsOf(x, y, size), [x, y, size]);
  const data = useCallback(() => typesTable(points, x, y), [points, x, y]);
  const figure = useMemo(() => {
    if (x === undefined || y === undefined || points.length === 0) return null;
    return scatterFigure({
      points,
      xTitle: titled(x),
      yTitle: titled(y),
      log,
      bands,
      equal: equalOf(x, y),
      facts: (point) => [factOf(x, point.x), factOf(y, point.y), ...nodesWords(bands, point, size, x, y)],
    });
  }, [points, x, y, log, bands, size]);
  if (x === undefined || y === undefined) {
    return (
      <section className="card">
        <p>The address names a column that this catalog does not have.</p>
        <Button variant="default" size="xs" onClick={() => onChange({ x: undefined, y: undefined })}>
          Show disk throughput against capacity
        </Button>
      </section>
    );
  }
  const options = table.columns.map(({ name, title }) => [name, title] as const);
  const preset = PRESETS.find((one) => one.x === x.name && one.y === y.name);
  const { select } = fieldsOf<"x" | "y">({
    values: { x: x.name, y: y.name },
    errors: {},
    onChange: (axis, value) => onChange({ [axis]: value }),
    size: "xs",
  });
  return (
    <Chart
      title={preset?.label ?? `${y.title} against ${lowered(x.title)}`}
      filename={`stowage-${y.name}-${x.name}`.replaceAll("_", "-")}
      data={data}
      caption={captionOf(table, points, x, y, bands, size)}
      label={`${y.title} against ${lowered(x.title)} of ${counted(points.length, "type")}`}
      figure={figure}
      onPick={onOpen}
    >
      <Group align="flex-end" gap="8px 12px" mb={8} className="no-print">
        {select("y", "Y axis", options)}
        {select("x", "X axis", options)}
        {[x.name, y.name].includes(CAPACITY) && (
          <TextInput
            size="xs"
            label="Data to be held"
            className={classes.size}
            value={size}
            error={gigabytesIn(size) === null ? "A size, like 100 TB" : undefined}
            autoComplete="off"
            onChange={(event) => onChange({ size: event.currentTarget.value }, "typed")}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label="Axes"
          value={log ? "log" : "linear"}
          data={[
            { value: "log", label: "Log" },
            { value: "linear", label: "Linear" },
          ]}
          onChange={(scale) => onChange({ scale })}
        />
        {PRESETS.filter((one) => one !== preset).map((one) => (
          <Button
            key={one.label}
            variant="subtle"
            size="compact-xs"
            className="wrapping"
            onClick={() => onChange({ x: one.x, y: one.y })}
          >
            {one.label}
          </Button>
        ))}
      </Group>
      {figure === null && <p>No type here has both figures.</p>}
    </Chart>
  );
});

/** Convert a title to lower case for use within a sentence, except acronyms and proper names (EBS, IOPS, vCPUs). */
function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title[0]?.toLowerCase() + title.slice(1) : title;
}

/** Line of equal rates, for two columns of rates that may differ in their units. */
function equalOf(x: Column, y: Column): { label: string; ratio: number } | undefined {
  const ratio = unitRatio(x.unit, y.unit);
  return ratio === undefined || unitRatio(x.unit, "MB/s") === undefined || x.name === y.name
    ? undefined
    : { label: "equal", ratio };
}

function factOf(column: Column, value: number): string {
  return `${column.title}: ${withUnit(value, column.unit)}`;
}

function pointsOf(
  table: InstanceTypeTable,
  kept: readonly TableRow[],
  compared: readonly string[],
  x: Column,
  y: Column,
  log: boolean,
): ScatterPoint[] {
  const names = new Set(kept.map(({ name }) => name));
  return table.rows.flatMap((row) => {
    const [across, up] = [row.values[x.index] ?? null, row.values[y.index] ?? null];
    if (across === null || up === null || (log && (across <= 0 || up <= 0))) return [];
    return [{ key: row.name, x: across, y: up, faint: !names.has(row.name), marked: compared.includes(row.name) }];
  });
}

/** Parse a size in the unit of a capacity; null if it is invalid. */
function sizeIn(text: string, unit: string): number | null {
  const size_gb = gigabytesIn(text);
  return size_gb === null ? null : size_gb * (unitRatio("GB", unit) ?? 1);
}

const FEW = 100;
const MANY = 1_000;

/** Compute the bands of node capacity in which the data needs under 100, up to 1,000, and more nodes. */
export function bandsOf(x: Column | undefined, y: Column | undefined, size: string): Band[] {
  const along = x?.name === CAPACITY ? "x" : y?.name === CAPACITY ? "y" : null;
  const held = along === null ? null : sizeIn(size, (along === "x" ? x : y)?.unit ?? "GB");
  if (along === null || held === null) return [];
  const [few, many] = [held / FEW, held / MANY];
  return [
    { along, from: null, to: many, label: "over 1,000 nodes", shade: 2 },
    { along, from: many, to: few, label: "100–1,000 nodes", shade: 1 },
    { along, from: few, to: null, label: "under 100 nodes", shade: 0 },
  ];
}

function nodesWords(bands: readonly Band[], point: ScatterPoint, size: string, x: Column, y: Column): string[] {
  const [band] = bands;
  if (band === undefined) return [];
  const [capacity, { unit }] = band.along === "x" ? [point.x, x] : [point.y, y];
  const held = sizeIn(size, unit);
  if (held === null) return [];
  const nodes = Math.ceil(held / capacity);
  return [`${size.trim()} fill ${counted(nodes, "node")}`];
}

/** Describe a band in words, for plots without room for its label. */
function bandWords({ from, to, label }: Band, unit: string): string {
  const end = `${threeDigits(to ?? 0)} ${unit}`;
  return `${label} ${to === null ? "above" : from === null ? `below ${end} a node` : `up to ${end}`}`;
}

function captionOf(
  table: InstanceTypeTable,
  points: readonly ScatterPoint[],
  x: Column,
  y: Column,
  bands: readonly Band[],
  size: string,
): string {
  if (points.length === 0) return "";
  const kept = points.filter(({ faint }) => !faint).length;
  const missing = table.rows.length - points.length;
  return [
    kept === points.length
      ? `${counted(points.length, "type")}.`
      : `${count(kept)} of ${counted(points.length, "type")} pass the filters; the others are faint.`,
    ...(bands.length > 0
      ? [
          `Shaded by how many nodes it takes to hold ${size.trim()} once: ${bands.map((band) => bandWords(band, (band.along === "x" ? x : y).unit)).join("; ")}.`,
        ]
      : []),
    ...(equalOf(x, y) !== undefined ? [`Above the line ${lowered(y.title)} is ahead of ${lowered(x.title)}.`] : []),
    ...(missing > 0 ? [`Without both figures above zero, and not drawn: ${counted(missing, "type")}.`] : []),
  ].join(" ");
}

function typesTable(points: readonly ScatterPoint[], x: Column | undefined, y: Column | undefined): ChartData {
  if (x === undefined || y === undefined) return { columns: [], rows: [] };
  return chartTable(
    points.filter(({ faint }) => !faint),
    ({ key }) => key,
    [
      { head: "Type", copied: "type", cell: ({ key }) => key },
      {
        head: titled(x),
        copied: x.name,
        number: true,
        cell: (point) => ({ copied: point.x, shown: threeDigits(point.x) }),
      },
      {
        head: titled(y),
        copied: y.name,
        number: true,
        cell: (point) => ({ copied: point.y, shown: threeDigits(point.y) }),
      },
    ],
  );
}
