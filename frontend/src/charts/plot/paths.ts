// Outlines of lines and bands.

import type { Plane } from "@/charts/axes/plane";
import type { LineMark, LinePoint } from "@/charts/figure";

/** Split a sequence into runs of items that are present; gaps in the data are neither drawn nor treated as 0. */
export function runs<Item>(items: readonly Item[], present: (item: Item) => boolean): Item[][] {
  const found: Item[][] = [];
  let open: Item[] | null = null;
  for (const item of items) {
    if (!present(item)) {
      open = null;
      continue;
    }
    if (open === null) {
      open = [];
      found.push(open);
    }
    open.push(item);
  }
  return found;
}

/** Build the path of a line without gaps; `last` if nothing follows it. */
export function linePath(points: readonly LinePoint[], plane: Plane, mark: LineMark, last: boolean): string {
  const spots = points.map(({ x, y }) => [plane.x(x).toFixed(1), plane.y(y ?? 0).toFixed(1)] as const);
  if (mark.steps !== true) return `M${spots.map(([x, y]) => `${x},${y}`).join("L")}`;
  const [first, ...rest] = spots;
  if (first === undefined) return "";
  const end = stepEnd(points, plane, mark, last);
  return `M${first[0]},${first[1]}${rest.map(([x, y]) => `H${x}V${y}`).join("")}${end === undefined ? "" : `H${end.toFixed(1)}`}`;
}

/** Return the end of the last step [px]: the next gap, or the end of all. */
function stepEnd(points: readonly LinePoint[], plane: Plane, mark: LineMark, last: boolean): number | undefined {
  if (last && mark.until !== undefined) return plane.x(mark.until);
  const end = points.at(-1);
  const next = end === undefined ? undefined : mark.points[mark.points.indexOf(end) + 1];
  return next === undefined ? undefined : plane.x(next.x);
}

interface Range {
  x: number;
  low: number;
  high: number;
}

/** Build the outline of the area between two values; in steps if it ends at `until`. */
export function bandPath(points: readonly Range[], plane: Plane, until?: number): string {
  const corners = until === undefined ? points : stepped(points, until);
  const corner = (x: number, value: number) => `${plane.x(x).toFixed(1)},${plane.y(value).toFixed(1)}`;
  const over = corners.map(({ x, high }) => corner(x, high));
  const below = corners.toReversed().map(({ x, low }) => corner(x, low));
  return `M${[...over, ...below].join("L")}Z`;
}

function stepped(points: readonly Range[], until: number): Range[] {
  return points.flatMap((point, index) => [point, { ...point, x: points[index + 1]?.x ?? until }]);
}
