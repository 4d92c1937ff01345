// Layout of a plot: margins by the texts of axes and names, panels below each other.

import { type AxisTick, axisTicks, widthOf } from "@/charts/axes/chartAxis";
import { type Plane, planeOf } from "@/charts/axes/plane";
import type { LineMark, Panel, PlaneFigure, RuleMark } from "@/charts/figure";

/** Panel with its position. */
export interface PlacedPanel {
  panel: Panel;
  plane: Plane;
  ticks: readonly AxisTick[];
}

export interface Layout {
  height: number;
  panels: readonly PlacedPanel[];
  ticks: readonly AxisTick[];
  /** Width of the names at the right [px]. */
  names: number;
}

/** Mark that is named at its right end. */
export type NamedMark = (LineMark | RuleMark) & { name: readonly string[] };

const TOP_PX = 14;
const PHASE_PX = 22;
const PHASE_LINE_PX = 14;
const RIGHT_PX = 16;
const NAME_GAP_PX = 12;
const TICK_GAP_PX = 8;
const TITLE_PX = 22;
const PANEL_TITLE_PX = 20;
const PANEL_GAP_PX = 14;
const TICKS_PX = 26;
const X_TITLE_PX = 20;
const NARROW_PX = 560;
/** Largest share of the width for names at the right. */
const MOST_NAMES = 0.45;

/** Return the marks of a panel that are named at its right. */
export function namedMarks({ marks }: Panel): NamedMark[] {
  return marks.filter(
    (mark): mark is NamedMark =>
      (mark.kind === "line" || (mark.kind === "rule" && mark.along === "y" && mark.saved !== true)) &&
      mark.name !== undefined &&
      !hasNoEnd(mark),
  );
}

function hasNoEnd(mark: LineMark | RuleMark): boolean {
  return mark.kind === "line" && mark.points.every(({ y }) => y === null);
}

function nameWidth(mark: NamedMark): number {
  const glyph = mark.kind === "line" && mark.glyph !== undefined ? 2 : 0;
  return Math.max(...mark.name.map((line) => widthOf(line))) + widthOf(" ".repeat(glyph));
}

function topOf({ phases = [], top = TOP_PX }: PlaneFigure): number {
  if (phases.length === 0) return top;
  return PHASE_PX + (phases.some(({ under }) => under !== undefined) ? PHASE_LINE_PX : 0);
}

/** Compute the positions of panels and ticks in a plot of a width [px]. */
export function layoutOf(figure: PlaneFigure, width: number): Layout {
  const { x, panels } = figure;
  const heights = panels.map(({ height, narrow = height }) => (width < NARROW_PX ? narrow : height));
  const sides = panels.map(({ y }, index) => axisTicks(y, heights[index] ?? 0, "y"));
  const widest = Math.max(0, ...sides.flat().map(({ text }) => widthOf(text)));
  const titled = panels.some(({ y }) => y.title !== undefined);
  const left = Math.ceil(Math.max(12, (widest > 0 ? widest + TICK_GAP_PX + 4 : 0) + (titled ? TITLE_PX : 0)));
  const widestName = Math.max(0, ...panels.flatMap(namedMarks).map(nameWidth));
  const names = Math.ceil(Math.min(MOST_NAMES * width, widestName > 0 ? widestName + NAME_GAP_PX : 0));
  const inner = Math.max(1, width - left - Math.max(RIGHT_PX, names));
  let top = topOf(figure);
  const placed = panels.map((panel, index): PlacedPanel => {
    if (index > 0) top += PANEL_GAP_PX;
    if (panel.title !== undefined) top += PANEL_TITLE_PX;
    const height = heights[index] ?? 0;
    const plane = planeOf({ left, top, width: inner, height }, { x, y: panel.y });
    top += height;
    return { panel, plane, ticks: sides[index] ?? [] };
  });
  return {
    height: top + TICKS_PX + (x.title === undefined ? 0 : X_TITLE_PX),
    panels: placed,
    ticks: axisTicks(x, inner, "x"),
    names,
  };
}
