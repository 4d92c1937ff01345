// Conversion between values and positions along an axis.

export interface Axis {
  low: number;
  high: number;
  log: boolean;
}

/** Compute the axis for a set of values, with margins at both ends and headroom; a linear axis starts at 0. */
export function axisOver(values: number[], log: boolean, headroom = 0.06): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!log) return { low: 0, high: most * (1 + Math.max(0.08, headroom)), log };
  const room = Math.max(1.08, (most / least) ** 0.06);
  return { low: least / room, high: most * Math.max(room, (most / least) ** headroom), log };
}

/** Convert a value to a coordinate of the axis. */
function coordinate(value: number, axis: Axis): number {
  return axis.log ? Math.log10(value) : value;
}

/** Compute the position of a value along an axis, from 0 (low end) to 1 (high end). */
export function shareOf(value: number, axis: Axis): number {
  const [low, high] = [coordinate(axis.low, axis), coordinate(axis.high, axis)];
  return (coordinate(value, axis) - low) / (high - low);
}

/** Convert a position along an axis to a value. */
export function valueAt(share: number, axis: Axis): number {
  const [low, high] = [coordinate(axis.low, axis), coordinate(axis.high, axis)];
  const at = low + share * (high - low);
  return axis.log ? 10 ** at : at;
}

/** Compute the position of a limit: the far end without a limit, the nearer end if it is off the axis. */
export function placeOf(limit: number | null, axis: Axis): number {
  return limit === null ? 1 : Math.min(1, Math.max(0, shareOf(limit, axis)));
}
