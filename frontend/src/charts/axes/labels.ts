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
    { dx: -width / 2, dy: GAP_PX + step * HEIGHT_PX },
    { dx: GAP_PX, dy: middle + step * HEIGHT_PX },
    { dx: GAP_PX, dy: middle - step * HEIGHT_PX },
  ]);
  return [...near, ...far];
}

/** Return further offsets of a label that must be drawn, nearest first, up to any place in the plot. */
function shiftsAnywhere(width: number, { x, y }: Spot, frame: Size): Shift[] {
  const found: Shift[] = [];
  for (let left = EDGE_PX; left + width + EDGE_PX <= frame.width; left += PIECE_PX) {
    for (let bottom = EDGE_PX; bottom + HEIGHT_PX + EDGE_PX <= frame.height; bottom += PIECE_PX) {
      found.push({ dx: left - x, dy: bottom - y });
    }
  }
  const far = ({ dx, dy }: Shift) => Math.hypot(dx + width / 2, dy + HEIGHT_PX / 2);
  return found.sort((a, b) => far(a) - far(b));
}

interface Size {
  width: number;
  height: number;
}

/** Room of a frame around the text of a label that is always drawn [px]. */
const BOX_PX = 5;
/** Least distance to the edges of the plot [px]. */
const EDGE_PX = 2;

interface Label extends Spot {
  text: string;
  /** Always drawn, in a frame; other labels are omitted if they would cover a mark or another label. */
  needed?: boolean;
}

/**
 * Compute the offset of each label; null if it does not fit.
 *
 * No label covers a mark, a bold line or an earlier label. Of the free places the first that covers the fewest other
 * lines is taken. A label that is needed moves as far as it has to; only in a plot without any free place it covers
 * something.
 */
export function placeLabels(labels: Label[], { marks, lines, bold = [] }: Obstacles, frame: Size): (Shift | null)[] {
  const lineBoxes = lines.flatMap(pieces);
  const taken = [...marks, ...bold.flatMap(pieces)];
  return labels.map((label) => {
    const width = label.text.length * LETTER_PX;
    const room = label.needed === true ? BOX_PX : 0;
    const roomy = (shift: Shift) => widened(boxOf(label, width, shift), room);
    const isFree = (shift: Shift) => isInside(roomy(shift), frame) && !taken.some((one) => overlap(roomy(shift), one));
    const crossed = (shift: Shift) => lineBoxes.filter((line) => overlap(roomy(shift), line)).length;
    const free = shifts(width).filter(isFree);
    const least = Math.min(...free.map(crossed));
    let shift = free.find((one) => crossed(one) === least);
    if (shift === undefined && label.needed === true) {
      const anywhere = shiftsAnywhere(width, label, frame);
      shift = anywhere.find(isFree) ?? anywhere[0];
    }
    if (shift === undefined) return null;
    taken.push(roomy(shift));
    return shift;
  });
}

function widened({ left, right, bottom, top }: Box, by: number): Box {
  return { left: left - by, right: right + by, bottom: bottom - by / 2, top: top + by / 2 };
}

function isInside({ left, right, bottom, top }: Box, { width, height }: Size): boolean {
  return left >= 0 && right <= width && bottom >= 0 && top <= height;
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
