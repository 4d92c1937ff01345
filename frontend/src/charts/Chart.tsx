import type { ReactNode } from "react";
import { Bars } from "@/charts/bars/Bars";
import { ChartFrame, type ChartFrameProps } from "@/charts/frame/ChartFrame";
import { HeatMap } from "@/charts/heatmap/HeatMap";
import type { Figure } from "./figure";
import { Plot, type PlotProps } from "./plot/Plot";

export type { ChartCell, ChartColumn, ChartData } from "@/charts/frame/ChartFrame";
export type { PointCard } from "./plot/Plot";

export interface ChartProps
  extends Omit<ChartFrameProps, "children">,
    Pick<PlotProps, "selected" | "onPick" | "onCursor" | "card" | "over"> {
  /** Axes and marks; null if there is nothing to draw, and `children` say so. */
  figure: Figure | null;
  /** Accessible description of the drawing (default: the values of bars, the title of others). */
  label?: string;
  /** Controls and notes above the drawing. */
  children?: ReactNode;
}

/**
 * Render a chart: title, caption, a figure of axes and marks, the same data as a table, and export as a picture.
 *
 * Bars, lines, bands, points, and cells share colors, ticks, cursor, table and export. A new chart is a function that
 * builds a `Figure`.
 */
export function Chart({ figure, label, selected, onPick, onCursor, card, over, children, ...frame }: ChartProps) {
  return (
    <ChartFrame {...frame}>
      {children}
      {figure?.kind === "plane" && (
        <Plot figure={figure} label={label ?? frame.title} {...{ selected, onPick, onCursor, card, over }} />
      )}
      {figure?.kind === "bars" && <Bars figure={figure} label={label} />}
      {figure?.kind === "cells" && <HeatMap figure={figure} label={label ?? frame.title} />}
    </ChartFrame>
  );
}
