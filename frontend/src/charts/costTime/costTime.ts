// Cost over time as Plotly traces: curves of types, the frontier, ranked rows, pins. The page draws the draggable
// limits over the chart; saved pictures include them in the figure.

import type { Trace } from "plotly.js-cartesian-dist-min";
import { type Axis, axisOver, coordinate, shareOf } from "@/charts/axes/axis";
import { placeLabels, type Spot } from "@/charts/axes/labels";
import { costTicks, timeLabel, timeTicks } from "@/charts/axes/ticks";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { briefNumber, duration, type Quantiles, usd } from "@/lib/wording";
import type { Figure } from "./Plot";

export interface CostTimePoint {
  key: string;
  name: string;
  time_s: number;
  cost_usd: number;
}

export interface RankedPoint extends CostTimePoint {
  rank: number;
  time: Quantiles;
  cost: Quantiles;
  resource: ResourceKind;
}

/** Point with a badge: the number of a pin, or `today`. */
export interface MarkedPoint extends CostTimePoint {
  badge: string;
}

export interface CostTimeData {
  /** Unit of all costs: one run, or a month of a permanent cluster. */
  of: "run" | "month";
  curves: { name: string; points: CostTimePoint[] }[];
  /** Pareto-optimal configurations in time and cost, fastest first. */
  frontier: CostTimePoint[];
  /** Configurations off the frontier with a lower risk of data loss than all cheaper and faster ones. */
  safer: CostTimePoint[];
  ranked: RankedPoint[];
  chosen: CostTimePoint | null;
  marked: MarkedPoint[];
}

export interface Limits {
  deadline_s: number | null;
  budget_usd: number | null;
}

export interface Axes {
  time: Axis;
  cost: Axis;
}

export interface Look {
  width: number;
  height: number;
  ink: string;
  faint: string;
  grid: string;
  surface: string;
  accent: string;
  font: string;
}

/** Margins of the plot [px]; the deadline's handle is above it. */
export const MARGIN = { l: 72, r: 14, t: 34, b: 46 };
/** Limits beyond the data by more than this factor do not extend the axis. */
const FAR = 8;
const MANY_POINTS = 60;
const MARK_PX = 7;
const LABEL_HEADROOM = 0.12;
const NARROW_PX = 560;
/** Maximum number of type names; hovering and the data table show the rest. */
const MOST_NAMES = 8;
const NAMES_IN_NARROW = 3;
/** Minimum distance of ticks [px]. */
const TIME_TICK_PX = 80;
const COST_TICK_PX = 45;

function mostTicks(length: number, each: number): number {
  return Math.max(3, Math.min(8, Math.floor(length / each)));
}

function near(limit: number | null, values: number[]): number | null {
  if (limit === null) return null;
  return limit <= FAR * Math.max(...values) && limit >= Math.min(...values) / FAR ? limit : null;
}

function hover(point: CostTimePoint, each: string): string {
  return `${point.name}<br>${duration(point.time_s)} · ${usd(point.cost_usd)}${each}<br>${point.time_s} s · ${point.cost_usd} USD${each}`;
}

function positions(points: CostTimePoint[], of: CostTimeData["of"]): Trace {
  return {
    x: points.map((point) => point.time_s),
    y: points.map((point) => point.cost_usd),
    text: points.map((point) => hover(point, of === "month" ? " a month" : "")),
    customdata: points.map((point) => point.key),
    hoverinfo: "text",
    type: "scatter",
    showlegend: false,
  };
}

function curveTraces(data: CostTimeData, look: Look): Trace[] {
  return data.curves.map((curve) => ({
    ...positions(curve.points, data.of),
    mode: curve.points.length > 1 ? "lines" : "markers",
    line: { color: look.faint, width: 1.25 },
    marker: { color: look.faint, size: 4 },
  }));
}

function frontierTrace(data: CostTimeData, look: Look): Trace {
  return {
    ...positions(data.frontier, data.of),
    // Marks this dense would only thicken the line; hidden marks can still be picked.
    mode: data.frontier.length > MANY_POINTS ? "lines" : "lines+markers",
    line: { color: look.ink, width: 2.5 },
    marker: { color: look.ink, size: 6 },
  };
}

function saferTrace({ safer, of }: CostTimeData, look: Look): Trace[] {
  if (safer.length === 0) return [];
  const marker = { symbol: "circle-open", color: look.faint, size: 5, line: { color: look.faint, width: 1.25 } };
  return [{ ...positions(safer, of), mode: "markers", marker }];
}

function whiskers(points: RankedPoint[], quantiles: (point: RankedPoint) => Quantiles, colour: string) {
  return {
    type: "data",
    symmetric: false,
    array: points.map((point) => quantiles(point).p90 - quantiles(point).p50),
    arrayminus: points.map((point) => quantiles(point).p50 - quantiles(point).p10),
    color: colour,
    thickness: 1.25,
    width: 4,
  };
}

function rankedTraces(data: CostTimeData, look: Look): Trace[] {
  return (Object.keys(RESOURCES) as ResourceKind[]).flatMap((kind) => {
    const points = data.ranked.filter((point) => point.resource === kind);
    if (points.length === 0) return [];
    const { colour, symbol } = RESOURCES[kind];
    return [
      {
        ...positions(points, data.of),
        mode: "markers",
        marker: { color: colour, symbol, size: 12, line: { color: look.surface, width: 1.5 } },
        error_x: whiskers(points, (point) => point.time, colour),
        error_y: whiskers(points, (point) => point.cost, colour),
      },
    ];
  });
}

function chosenTrace({ chosen }: CostTimeData, look: Look): Trace[] {
  if (chosen === null) return [];
  return [
    {
      x: [chosen.time_s],
      y: [chosen.cost_usd],
      type: "scatter",
      mode: "markers",
      hoverinfo: "skip",
      showlegend: false,
      marker: { symbol: "circle-open", size: 24, color: look.accent, line: { color: look.accent, width: 2.5 } },
    },
  ];
}

function markedTrace({ marked, of }: CostTimeData, look: Look): Trace[] {
  if (marked.length === 0) return [];
  return [
    {
      ...positions(marked, of),
      mode: "markers",
      marker: { symbol: "circle-open-dot", size: 15, color: look.ink, line: { color: look.ink, width: 1.5 } },
    },
  ];
}

function limitTrace(x: number[], y: number[], look: Look): Trace {
  return {
    x,
    y,
    type: "scatter",
    mode: "lines",
    hoverinfo: "skip",
    showlegend: false,
    line: { color: look.ink, width: 1.25, dash: "dash" },
  };
}

/** Compute the labels: badges of marked points, then names of types, as far as they fit. */
function labels(data: CostTimeData, { time, cost }: Axes, look: Look): Record<string, unknown>[] {
  const frame = { width: look.width - MARGIN.l - MARGIN.r, height: look.height - MARGIN.t - MARGIN.b };
  const spot = (point: Pick<CostTimePoint, "time_s" | "cost_usd">): Spot => ({
    x: shareOf(point.time_s, time) * frame.width,
    y: shareOf(point.cost_usd, cost) * frame.height,
  });
  const most = look.width < NARROW_PX ? NAMES_IN_NARROW : MOST_NAMES;
  // Extra candidates, because some names may not fit.
  const names = named(data).slice(0, 3 * most);
  const texts = [
    ...data.marked.map((point) => ({ text: point.badge, at: point, needed: true })),
    ...names.map(({ name, end }) => ({ text: name, at: end, needed: false })),
  ];
  const across = (seconds: number) => shareOf(seconds, time) * frame.width;
  const marks = data.ranked.map((row) => ({
    left: across(row.time.p10) - MARK_PX,
    right: across(row.time.p90) + MARK_PX,
    bottom: spot(row).y - MARK_PX,
    top: spot(row).y + MARK_PX,
  }));
  const lines = data.curves.map((curve) => curve.points.map(spot));
  const places = placeLabels(
    texts.map(({ text, at, needed }) => ({ text, needed, ...spot(at) })),
    { marks, lines, bold: [data.frontier.map(spot)] },
    frame,
  );
  let placed = 0;
  return texts.flatMap(({ text, at, needed }, index) => {
    const place = places[index];
    if (place === null || place === undefined || (!needed && placed >= most)) return [];
    if (!needed) placed += 1;
    return {
      x: coordinate(at.time_s, time),
      y: coordinate(at.cost_usd, cost),
      xshift: place.dx,
      yshift: place.dy,
      xanchor: "left",
      yanchor: "bottom",
      text: needed ? `<b>${text}</b>` : text,
      showarrow: false,
      font: { size: 12, color: look.ink },
      borderpad: needed ? 2 : 0,
      ...(needed ? { bgcolor: look.surface, bordercolor: look.ink, borderwidth: 1 } : {}),
    };
  });
}

/**
 * Return the types to label, each once, most important first: the frontier's ends, chosen, pinned and current
 * configurations, then the ranking. A name is placed at the fast end of its type's curve, or at the point itself.
 */
function named(data: CostTimeData): { name: string; end: CostTimePoint }[] {
  const { frontier, chosen, marked, ranked, curves } = data;
  const telling = [frontier[0], frontier.at(-1), chosen, ...marked, ...ranked];
  const points = new Map<string, CostTimePoint>();
  for (const point of telling) {
    if (point === undefined || point === null) continue;
    const type = typeOf(point);
    if (!points.has(type)) points.set(type, point);
  }
  return [...points].map(([name, point]) => {
    const curve = curves.find((one) => one.name === name)?.points ?? [];
    const end = curve.reduce((fastest, one) => (one.time_s < fastest.time_s ? one : fastest), curve[0] ?? point);
    return { name, end };
  });
}

/** Return the type in a name: `i2.8xlarge` of `98 × i2.8xlarge`. */
function typeOf({ name }: CostTimePoint): string {
  return name.split(" ").at(-1) ?? name;
}

function limitLabels(deadline: number | null, budget: number | null, { time, cost }: Axes, look: Look) {
  const labels: Record<string, unknown>[] = [];
  const common = { showarrow: false, font: { size: 12, color: look.ink }, bgcolor: look.surface, borderpad: 1 };
  if (deadline !== null) {
    const right = shareOf(deadline, time) > 0.7;
    labels.push({
      ...common,
      x: coordinate(deadline, time),
      yref: "paper",
      y: 1,
      yanchor: "bottom",
      xanchor: right ? "right" : "left",
      text: `deadline ${duration(deadline)}`,
    });
  }
  if (budget !== null) {
    labels.push({
      ...common,
      xref: "paper",
      x: 1,
      xanchor: "right",
      y: coordinate(budget, cost),
      yanchor: "bottom",
      text: `budget ${usd(budget)}`,
    });
  }
  return labels;
}

function axisLayout(title: string, axis: Axis, ticks: number[], label: (value: number) => string, look: Look) {
  return {
    title: { text: title, font: { size: 12, color: look.ink }, standoff: 8 },
    type: axis.log ? "log" : "linear",
    range: [coordinate(axis.low, axis), coordinate(axis.high, axis)],
    autorange: false,
    fixedrange: true,
    tickvals: ticks,
    ticktext: ticks.map(label),
    tickangle: 0,
    tickfont: { size: 12, color: look.ink },
    gridcolor: look.grid,
    linecolor: look.grid,
    zeroline: false,
    ticks: "outside",
    ticklen: 4,
    tickcolor: look.grid,
  };
}

/** Costs from here on are abbreviated: the axis has space for six characters [USD]. */
const BRIEF_FROM_USD = 100_000;

function costLabel(amount: number): string {
  return amount < BRIEF_FROM_USD ? usd(amount) : `$${briefNumber(amount)}`;
}

/** Compute axes that cover the data and nearby limits. */
export function costTimeAxes(data: CostTimeData, limits: Limits, log: boolean): Axes {
  const { frontier, safer, marked } = data;
  const points = [...data.curves.flatMap((curve) => curve.points), ...frontier, ...safer, ...marked];
  if (data.chosen !== null) points.push(data.chosen);
  const times = [...points.map((point) => point.time_s), ...data.ranked.flatMap(({ time }) => [time.p10, time.p90])];
  const costs = [...points.map((point) => point.cost_usd), ...data.ranked.flatMap(({ cost }) => [cost.p10, cost.p90])];
  const [deadline, budget] = [near(limits.deadline_s, times), near(limits.budget_usd, costs)];
  return {
    time: axisOver(deadline === null ? times : [...times, deadline], log),
    cost: axisOver(budget === null ? costs : [...costs, budget], log, LABEL_HEADROOM),
  };
}

/** Build the Plotly figure. */
export function costTimeFigure(data: CostTimeData, axes: Axes, look: Look): Figure {
  const { time, cost } = axes;
  return {
    traces: [
      ...curveTraces(data, look),
      ...saferTrace(data, look),
      frontierTrace(data, look),
      ...rankedTraces(data, look),
      ...markedTrace(data, look),
      ...chosenTrace(data, look),
    ],
    layout: {
      width: look.width,
      height: look.height,
      margin: MARGIN,
      // Transparent: the card's background shows through, also in print.
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: look.font, size: 12, color: look.ink },
      hovermode: "closest",
      hoverlabel: {
        bgcolor: look.surface,
        bordercolor: look.ink,
        font: { family: look.font, color: look.ink, size: 12 },
        align: "left",
      },
      dragmode: false,
      showlegend: false,
      xaxis: axisLayout("time of one run", time, timeTicks(time, mostTicks(look.width, TIME_TICK_PX)), timeLabel, look),
      yaxis: axisLayout(
        data.of === "month" ? "always-on monthly cost" : "cost of one run",
        cost,
        costTicks(cost, mostTicks(look.height, COST_TICK_PX)),
        costLabel,
        look,
      ),
      annotations: labels(data, axes, look),
    },
  };
}

/** Add the limits to a figure for export. */
export function withLimits(figure: Figure, limits: Limits, axes: Axes, look: Look): Figure {
  const { time, cost } = axes;
  const inside = (limit: number | null, axis: Axis) =>
    limit !== null && limit > axis.low && limit < axis.high ? limit : null;
  const [deadline, budget] = [inside(limits.deadline_s, time), inside(limits.budget_usd, cost)];
  return {
    traces: [
      ...(deadline === null ? [] : [limitTrace([deadline, deadline], [cost.low || cost.high * 1e-9, cost.high], look)]),
      ...(budget === null ? [] : [limitTrace([time.low || time.high * 1e-9, time.high], [budget, budget], look)]),
      ...figure.traces,
    ],
    layout: {
      ...figure.layout,
      paper_bgcolor: look.surface,
      plot_bgcolor: look.surface,
      annotations: [
        ...(figure.layout["annotations"] as Record<string, unknown>[]),
        ...limitLabels(deadline, budget, axes, look),
      ],
    },
  };
}
