// An axis and its conversion between values and places, the same for Plotly's marks and for what the page draws over
// them.

export interface Axis {
  low: number;
  high: number;
  log: boolean;
}

/** Span an axis over values, with room at both ends and a share of headroom; a linear one starts at 0. */
export function axisOver(values: number[], log: boolean, headroom = 0.06): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!log) return { low: 0, high: most * (1 + Math.max(0.08, headroom)), log };
  const room = Math.max(1.08, (most / least) ** 0.06);
  return { low: least / room, high: most * Math.max(room, (most / least) ** headroom), log };
}

/** Where a value stands on an axis, as Plotly's ranges and annotations want it. */
export function coordinate(value: number, axis: Axis): number {
  return axis.log ? Math.log10(value) : value;
}

/** How far along an axis a value stands: 0 at its low end, 1 at its high one. */
export function shareOf(value: number, axis: Axis): number {
  const [low, high] = [coordinate(axis.low, axis), coordinate(axis.high, axis)];
  return (coordinate(value, axis) - low) / (high - low);
}

/** The value that stands so far along an axis. */
export function valueAt(share: number, axis: Axis): number {
  const [low, high] = [coordinate(axis.low, axis), coordinate(axis.high, axis)];
  const at = low + share * (high - low);
  return axis.log ? 10 ** at : at;
}

/** Where a limit stands along its axis: no limit at the far end, one beyond the axis at its end. */
export function placeOf(limit: number | null, axis: Axis): number {
  return limit === null ? 1 : Math.min(1, Math.max(0, shareOf(limit, axis)));
}
