// Positions of values in a plot.

import { type Axis, shareOf } from "./axis";

/** Plot area between the axes [px]. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Plot area with the conversion of values to positions [px], with y pointing down. */
export interface Plane {
  frame: Frame;
  axes: { x: Axis; y: Axis };
  x: (value: number) => number;
  y: (value: number) => number;
}

/** Build the conversion of values to positions; values beyond an axis are at its end. */
export function planeOf(frame: Frame, axes: { x: Axis; y: Axis }): Plane {
  return {
    frame,
    axes,
    x: (value) => frame.left + within(value, axes.x) * frame.width,
    y: (value) => frame.top + (1 - within(value, axes.y)) * frame.height,
  };
}

function within(value: number, axis: Axis): number {
  const share = shareOf(axis.log ? Math.max(value, axis.low) : value, axis);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}
