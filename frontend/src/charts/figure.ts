// Figures: axes and marks of a chart, as data. `Chart` renders them.

import type { ChartAxis } from "@/charts/axes/chartAxis";
import type { Frame, Plane } from "@/charts/axes/plane";
import type { Shape } from "@/charts/plot/shapes";
import type { ResourceKind } from "@/lib/resources";

/** Colors of marks, for both color schemes: of the subject, of what it is compared with, of what is in the background. */
export const MAIN = "var(--chart-main)";
export const OTHER = "#d55e00";
export const FAINT = "var(--mantine-color-dimmed)";
export const PALE = "var(--chart-pale)";
export const INK = "var(--mantine-color-text)";

export interface LinePoint {
  x: number;
  /** Null breaks the line. */
  y: number | null;
}

/** Line through points; a point between two gaps is a dot. */
export interface LineMark {
  kind: "line";
  key: string;
  points: readonly LinePoint[];
  colour?: string;
  /** Width of the stroke [px]. */
  width?: number;
  dash?: string | undefined;
  opacity?: number;
  /** True if each value holds until the next point. */
  steps?: boolean;
  /** End of the last step. */
  until?: number;
  /** Opacity of the area down to the low end of the axis. */
  area?: number;
  /** True for a dot at the end. */
  dotted?: boolean;
  /** Text at the right of the end, in lines; `glyph` stands before it in the line's color. */
  name?: readonly string[];
  glyph?: string;
  /** Tooltip of the whole line. */
  words?: string;
}

/** Area between two values, from point to point; null breaks it. */
export interface BandMark {
  kind: "band";
  key: string;
  points: readonly { x: number; low: number | null; high: number | null }[];
  colour?: string;
  opacity: number;
  words?: string;
}

/** Range of one axis over the whole length of the other; null is the end of the axis. */
export interface SpanMark {
  kind: "span";
  key: string;
  along: "x" | "y";
  from: number | null;
  to: number | null;
  colour?: string;
  opacity: number;
  name?: string;
}

/** Value of one axis as a line over the whole length of the other. */
export interface RuleMark {
  kind: "rule";
  key: string;
  along: "x" | "y";
  at: number;
  colour?: string;
  width?: number;
  dash?: string;
  /** Text at the end of the line: at the top, or at the right in lines. */
  name?: readonly string[];
  words?: string;
  /** True if the page shows it in another way, so that only saved pictures contain it. */
  saved?: boolean;
}

/** Point with its look, its range, and its tooltip. */
export interface ChartPoint {
  key: string;
  x: number;
  y: number;
  /** Lines of the tooltip; none without. */
  words?: readonly string[];
  shape?: Shape;
  /** Radius of a circle, and of circles with the area of other shapes [px]. */
  r?: number;
  fill?: "full" | "open" | "dotted" | "dashed" | "ring";
  /** Width of the outline of open marks [px]. */
  width?: number;
  colour?: string;
  faint?: boolean;
  across?: { low: number; high: number } | null;
  up?: { low: number; high: number } | null;
  /** False if only the pointer finds the point in a list, whose options are the others. */
  listed?: boolean;
  /** Side to which the true value may differ. */
  bound?: "above" | "below" | null;
}

export interface PointsMark {
  kind: "points";
  key: string;
  points: readonly ChartPoint[];
  /** True if only the cursor finds the points, and another mark draws them. */
  hidden?: boolean;
}

/** Many points of one look as a single path, so that a thousand cost no more than a dozen. */
export interface DotsMark {
  kind: "dots";
  key: string;
  spots: readonly { x: number; y: number }[];
  r: number;
  opacity: number;
}

/** Text beside a point: left end of the baseline [px]. */
export interface PlacedLabel {
  key: string;
  text: string;
  x: number;
  y: number;
  /** Line from the label to its point. */
  leader?: readonly [{ x: number; y: number }, { x: number; y: number }] | null;
  /** True for a frame around the text. */
  boxed?: boolean;
  colour?: string;
}

/** Labels beside points, placed when the size of the plot is known. */
export interface LabelsMark {
  kind: "labels";
  key: string;
  place: (plane: Plane) => readonly PlacedLabel[];
}

export type Mark = LineMark | BandMark | SpanMark | RuleMark | PointsMark | DotsMark | LabelsMark;

/** Plot area with its vertical axis; panels of a figure share the horizontal one. */
export interface Panel {
  key: string;
  /** Text above the panel, and at its right end. */
  title?: string;
  note?: string;
  /** Height between the axes, and in narrow plots [px]. */
  height: number;
  narrow?: number;
  y: ChartAxis;
  marks: readonly Mark[];
}

/** Section of the horizontal axis with its name, over all panels. */
export interface Phase {
  name: string;
  from: number;
  to: number;
  /** Second line, in pale ink. */
  under?: string;
}

export interface PlaneFigure {
  kind: "plane";
  x: ChartAxis;
  panels: readonly Panel[];
  phases?: readonly Phase[];
  /** Space above the first panel [px]. */
  top?: number;
  /** True if the points are a list for the keyboard. */
  list?: boolean;
  /** True if tooltips count the points at the same position. */
  crowded?: boolean;
}

export interface Bar {
  key: string;
  label: string;
  /** Figure at the right, with its unit. */
  text: string;
  /** Start and end of the bar, as shares of the full width. */
  from: number;
  to: number;
  /** Resource that sets the color and pattern (default: accent color). */
  kind?: ResourceKind;
}

export interface BarGroup {
  key: string;
  title?: string;
  text?: string;
  bars: Bar[];
}

/** Horizontal bars in groups, each with its name and value above it. */
export interface BarsFigure {
  kind: "bars";
  groups: readonly BarGroup[];
  /** Position of the baseline of diverging bars, as a share of the width. */
  middle?: number;
}

/** Cell content. Color is never the only carrier: every cell has a text, or the pattern of an empty cell. */
export interface HeatCell {
  /** First line; `second` is added below it if it fits. */
  text: string;
  second?: string;
  /** Text for narrow cells: at most four characters. */
  brief: string;
  /** CSS color with readable contrast to `ink`. Cells without one get the pattern of a missing value. */
  fill?: string;
  /** CSS color of the text (default: the page's). */
  ink?: string;
  /** Mark in the corner; `rest` says what it means. */
  mark?: string | undefined;
  /** Further details for screen readers. */
  rest: string;
}

export interface HeatAxis {
  title: string;
  values: readonly string[];
}

export interface HeatPlace {
  column: number;
  row: number;
}

/** Scale of a sequential color, drawn below its cells. */
export interface HeatScale {
  title: string;
  /** CSS color of a share of the range. */
  fill: (share: number) => string;
  /** Values at equal distances, from the lowest to the highest. */
  ticks: readonly string[];
}

/** Values over a grid of two quantities. */
export interface CellsFigure {
  kind: "cells";
  scale?: HeatScale | undefined;
  columns: HeatAxis;
  rows: HeatAxis;
  /** Returns the cell at a place; memoized per cell, undefined while missing. */
  cell: (place: HeatPlace) => HeatCell | undefined;
  /** Label of missing cells. */
  missing: string;
  open: HeatPlace | null;
  onOpen: (place: HeatPlace) => void;
}

export type Figure = PlaneFigure | BarsFigure | CellsFigure;

type OnePanel = Omit<PlaneFigure, "kind" | "panels"> & Omit<Panel, "key" | "title" | "note">;

/** Build a figure with one panel. */
export function plane({ y, height, narrow, marks, ...rest }: OnePanel): PlaneFigure {
  const panel = { key: "plane", y, height, marks, ...(narrow !== undefined && { narrow }) };
  return { kind: "plane", ...rest, panels: [panel] };
}

/** Build a figure of bars without a group. */
export function bars(of: Bar[], middle?: number): BarsFigure {
  return { kind: "bars", groups: [{ key: "bars", bars: of }], ...(middle !== undefined && { middle }) };
}

export type { Frame, Plane };
