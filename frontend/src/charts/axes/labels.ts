// Placement of labels next to their points with the least overlap.

import type { Frame } from "./plane";

/** Point in the plot [px], with y pointing up. */
export interface Spot {
  x: number;
  y: number;
}

/** Rectangle in the plot [px]. */
export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

interface Obstacles {
  /** Marks with their whiskers; labels must not cover them. */
  marks: Box[];
  /** Lines that labels should not cover. */
  lines: Spot[][];
  /** Lines that labels must not cover. */
  bold?: Spot[][];
}

/** Offset of a label's lower left corner from its point [px]. */
export interface Shift {
  dx: number;
  dy: number;
}

const LETTER_PX = 7;
const HEIGHT_PX = 15;
const GAP_PX = 10;
const PIECE_PX = 5;

function boxOf({ x, y }: Spot, width: number, { dx, dy }: Shift): Box {
  return { left: x + dx, right: x + dx + width, bottom: y + dy, top: y + dy + HEIGHT_PX };
}

/** Split a line into short pieces, so that labels between two of its points are detected as overlapping. */
function pieces(line: Spot[]): Box[] {
  return line.slice(1).flatMap((to, index) => {
    const from = line[index] ?? to;
    const parts = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / PIECE_PX);
    return Array.from({ length: parts }, (_, part) => {
      const share = part / parts;
      const [x, y] = [from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)];
      return { left: x - 1, right: x + 1, bottom: y - 1, top: y + 1 };
    });
  });
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

/** Return the candidate offsets: left of the point first, then above, right, below; then farther away. */
function shifts(width: number): Shift[] {
  const middle = -HEIGHT_PX / 2;
  const near = [
    { dx: -width - GAP_PX, dy: middle },
    { dx: -width / 2, dy: GAP_PX },
    { dx: 0, dy: GAP_PX },
    { dx: GAP_PX, dy: middle },
    { dx: -width / 2, dy: -GAP_PX - HEIGHT_PX },
  ];
  const far = [1, 2, 3].flatMap((step) => [
    { dx: -width - GAP_PX, dy: middle + step * HEIGHT_PX },
    { dx: -width - GAP_PX, dy: middle - step * HEIGHT_PX },
  ]);
  return [...near, ...far];
}

const COVERS_MARK = 10;

interface Label extends Spot {
  text: string;
  /** Always drawn; other labels are omitted if they would cover a mark or another label. */
  needed?: boolean;
}

/** Compute the offset of each label with the least overlap; null if it does not fit. */
export function placeLabels(
  labels: Label[],
  { marks, lines, bold = [] }: Obstacles,
  frame: { width: number; height: number },
): (Shift | null)[] {
  const taken: Box[] = [];
  const lineBoxes = lines.flatMap(pieces);
  const seen = [...marks, ...bold.flatMap(pieces)];
  return labels.map((label) => {
    const width = label.text.length * LETTER_PX;
    let best = { shift: { dx: 0, dy: 0 }, badness: Number.POSITIVE_INFINITY };
    for (const shift of shifts(width)) {
      const box = boxOf(label, width, shift);
      const outside = box.left < 0 || box.right > frame.width || box.bottom < 0 || box.top > frame.height;
      const badness =
        (outside ? 50 : 0) +
        20 * taken.filter((other) => overlap(box, other)).length +
        COVERS_MARK * seen.filter((other) => overlap(box, other)).length +
        Math.min(COVERS_MARK - 1, lineBoxes.filter((other) => overlap(box, other)).length);
      if (badness < best.badness) best = { shift, badness };
    }
    if (best.badness >= COVERS_MARK && label.needed !== true) return null;
    taken.push(boxOf(label, width, best.shift));
    return best.shift;
  });
}

/** Build the box of a mark with a center and half a width [px]. */
export function boxAround({ x, y }: Spot, half: number): Box {
  return { left: x - half, right: x + half, top: y - half, bottom: y + half };
}

interface PlacedIn<One> {
  label: One;
  /** Left end of the label's baseline. */
  corner: Spot;
  shift: Shift;
}

/** Place labels in a plot, in its coordinates [px] with y pointing down; labels that do not fit are left out. */
export function placedIn<One extends Label>(
  frame: Frame,
  labels: readonly One[],
  { marks, lines = [], bold = [] }: Pick<Obstacles, "marks"> & Partial<Obstacles>,
): PlacedIn<One>[] {
  const bottom = frame.top + frame.height;
  const upwards = ({ x, y }: Spot): Spot => ({ x: x - frame.left, y: bottom - y });
  const shifts = placeLabels(
    labels.map((label) => ({ ...label, ...upwards(label) })),
    {
      marks: marks.map((box) => {
        const [low, high] = [upwards({ x: box.left, y: box.bottom }), upwards({ x: box.right, y: box.top })];
        return { left: low.x, right: high.x, bottom: low.y, top: high.y };
      }),
      lines: lines.map((line) => line.map(upwards)),
      bold: bold.map((line) => line.map(upwards)),
    },
    frame,
  );
  return labels.flatMap((label, index) => {
    const shift = shifts[index];
    return shift == null ? [] : { label, shift, corner: { x: label.x + shift.dx, y: label.y - shift.dy - 3 } };
  });
}

/** Spread labels of line ends [px, pointing down] by at least `gap`, none below `bottom`. */
export function apart(places: readonly number[], gap: number, bottom: number): number[] {
  const order = places.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const moved = [...places];
  let free = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    moved[index] = Math.max(places[index] ?? 0, free);
    free = (moved[index] ?? 0) + gap;
  }
  let lowest = bottom;
  for (const index of order.toReversed()) {
    moved[index] = Math.min(moved[index] ?? 0, lowest);
    lowest = (moved[index] ?? 0) - gap;
  }
  return moved;
}
