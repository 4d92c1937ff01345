// Cost against time as Plotly's traces: every ranked type's curve, the frontier, the ranked rows, the limits.

import type { Layout, Trace } from "plotly.js-cartesian-dist-min";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { duration, type Quantiles, usd } from "@/lib/wording";
import { placeLabels, type Spot } from "./labels";
import { type Axis, axisOver, costTicks, timeLabel, timeTicks } from "./ticks";

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

export interface CostTimeData {
  curves: { name: string; points: CostTimePoint[] }[];
  frontier: CostTimePoint[];
  ranked: RankedPoint[];
  chosen: CostTimePoint | null;
  deadline_s: number | null;
  budget_usd: number | null;
}

export interface Look {
  width: number;
  height: number;
  log: boolean;
  ink: string;
  faint: string;
  grid: string;
  surface: string;
  accent: string;
  font: string;
}

const MARGIN = { l: 72, r: 14, t: 22, b: 46 };
/** A limit further out than this factor would squeeze what is to be seen into a corner. */
const FAR = 8;
const MANY_POINTS = 60;
const MARK_PX = 7;
const LABEL_HEADROOM = 0.12;
/** Room for a tick with its label. */
const TIME_TICK_PX = 80;
const COST_TICK_PX = 45;

function mostTicks(length: number, each: number): number {
  return Math.max(3, Math.min(8, Math.floor(length / each)));
}

function near(limit: number | null, values: number[]): number | null {
  if (limit === null) return null;
  return limit <= FAR * Math.max(...values) && limit >= Math.min(...values) / FAR ? limit : null;
}

function hover(point: CostTimePoint): string {
  return `${point.name}<br>${duration(point.time_s)} · ${usd(point.cost_usd)}<br>${point.time_s} s · ${point.cost_usd} USD`;
}

function positions(points: CostTimePoint[]): Trace {
  return {
    x: points.map((point) => point.time_s),
    y: points.map((point) => point.cost_usd),
    text: points.map(hover),
    customdata: points.map((point) => point.key),
    hoverinfo: "text",
    type: "scatter",
    showlegend: false,
  };
}

function curveTraces(data: CostTimeData, look: Look): Trace[] {
  return data.curves.map((curve) => ({
    ...positions(curve.points),
    mode: curve.points.length > 1 ? "lines" : "markers",
    line: { color: look.faint, width: 1.25 },
    marker: { color: look.faint, size: 4 },
  }));
}

function frontierTrace(data: CostTimeData, look: Look): Trace {
  return {
    ...positions(data.frontier),
    // So close together, marks would only thicken the line; it can be picked from all the same.
    mode: data.frontier.length > MANY_POINTS ? "lines" : "lines+markers",
    line: { color: look.ink, width: 2.5 },
    marker: { color: look.ink, size: 6 },
  };
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
        ...positions(points),
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

/** Where a value stands on an axis, as Plotly's annotations want it. */
function coordinate(value: number, axis: Axis): number {
  return axis.log ? Math.log10(value) : value;
}

/** How far along an axis a value stands, 0 to 1. */
function share(value: number, axis: Axis): number {
  const [low, high] = [coordinate(axis.log ? axis.low : 0, axis), coordinate(axis.high, axis)];
  return (coordinate(value, axis) - low) / (high - low);
}

function curveLabels(data: CostTimeData, time: Axis, cost: Axis, look: Look): Record<string, unknown>[] {
  const frame = { width: look.width - MARGIN.l - MARGIN.r, height: look.height - MARGIN.t - MARGIN.b };
  const spot = (point: CostTimePoint): Spot => ({
    x: share(point.time_s, time) * frame.width,
    y: share(point.cost_usd, cost) * frame.height,
  });
  const ends = data.curves.flatMap((curve) => {
    const end = curve.points.reduce<CostTimePoint | undefined>(
      (fastest, point) => (fastest === undefined || point.time_s < fastest.time_s ? point : fastest),
      undefined,
    );
    return end === undefined ? [] : [{ name: curve.name, end }];
  });
  const across = (seconds: number) => share(seconds, time) * frame.width;
  const marks = data.ranked.map((row) => ({
    left: across(row.time.p10) - MARK_PX,
    right: across(row.time.p90) + MARK_PX,
    bottom: spot(row).y - MARK_PX,
    top: spot(row).y + MARK_PX,
  }));
  const lines = [...data.curves.map((curve) => curve.points), data.frontier].map((points) => points.map(spot));
  const places = placeLabels(
    ends.map(({ name, end }) => ({ text: name, ...spot(end) })),
    { marks, lines },
    frame,
  );
  return ends.map(({ name, end }, index) => ({
    x: coordinate(end.time_s, time),
    y: coordinate(end.cost_usd, cost),
    xshift: places[index]?.dx ?? 0,
    yshift: places[index]?.dy ?? 0,
    xanchor: "left",
    yanchor: "bottom",
    text: name,
    showarrow: false,
    font: { size: 12, color: look.ink },
    borderpad: 0,
  }));
}

function limitLabels(deadline: number | null, budget: number | null, time: Axis, cost: Axis, look: Look) {
  const labels: Record<string, unknown>[] = [];
  const common = { showarrow: false, font: { size: 12, color: look.ink }, bgcolor: look.surface, borderpad: 1 };
  if (deadline !== null) {
    const right = share(deadline, time) > 0.7;
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
    range: [coordinate(axis.log ? axis.low : 0, axis), coordinate(axis.high, axis)],
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

/** Turn the data into what Plotly draws. */
export function costTimeFigure(data: CostTimeData, look: Look): { traces: Trace[]; layout: Layout } {
  const points = [...data.curves.flatMap((curve) => curve.points), ...data.frontier];
  if (data.chosen !== null) points.push(data.chosen);
  const times = [...points.map((point) => point.time_s), ...data.ranked.flatMap(({ time }) => [time.p10, time.p90])];
  const costs = [...points.map((point) => point.cost_usd), ...data.ranked.flatMap(({ cost }) => [cost.p10, cost.p90])];
  const [deadline, budget] = [near(data.deadline_s, times), near(data.budget_usd, costs)];
  const time = axisOver(deadline === null ? times : [...times, deadline], look.log);
  const cost = axisOver(budget === null ? costs : [...costs, budget], look.log, LABEL_HEADROOM);
  return {
    traces: [
      ...curveTraces(data, look),
      frontierTrace(data, look),
      ...(deadline === null ? [] : [limitTrace([deadline, deadline], [cost.low || cost.high * 1e-9, cost.high], look)]),
      ...(budget === null ? [] : [limitTrace([time.low || time.high * 1e-9, time.high], [budget, budget], look)]),
      ...rankedTraces(data, look),
      ...chosenTrace(data, look),
    ],
    layout: {
      width: look.width,
      height: look.height,
      margin: MARGIN,
      paper_bgcolor: look.surface,
      plot_bgcolor: look.surface,
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
      yaxis: axisLayout("cost of one run", cost, costTicks(cost, mostTicks(look.height, COST_TICK_PX)), usd, look),
      annotations: [...curveLabels(data, time, cost, look), ...limitLabels(deadline, budget, time, cost, look)],
    },
  };
}
