// Cursor of the table: position, keys, and the cell under the pointer.

import type { KeyboardEvent } from "react";

/** Column widths [px]. */
export const NAME_PX = 196;
export const COLUMN_PX = 106;
/** One row less than a page, so that one row stays visible for orientation. */
const PAGE_ROWS = 14;

/** Cell position: index of the filtered row, and column; column 0 is the name. */
export interface Place {
  row: number;
  column: number;
}

/** Compute the cell a key moves to; undefined if it does not move the cursor. */
export function movedTo({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, from: Place, last: Place): Place | undefined {
  const row = (to: number) => ({ ...from, row: Math.max(0, Math.min(last.row, to)) });
  const column = (to: number) => ({ ...from, column: Math.max(0, Math.min(last.column, to)) });
  const moves: Record<string, (() => Place) | undefined> = {
    ArrowDown: () => row(from.row + 1),
    ArrowUp: () => row(from.row - 1),
    PageDown: () => row(from.row + PAGE_ROWS),
    PageUp: () => row(from.row - PAGE_ROWS),
    ArrowRight: () => column(from.column + 1),
    ArrowLeft: () => column(from.column - 1),
    Home: () => (ctrlKey ? { row: 0, column: 0 } : column(0)),
    End: () => (ctrlKey ? { row: last.row, column: last.column } : column(last.column)),
  };
  const letters: typeof moves = ctrlKey || metaKey || altKey ? {} : { j: moves["ArrowDown"], k: moves["ArrowUp"] };
  return (moves[key] ?? letters[key])?.();
}

/** Scroll horizontally until a column is visible beside the pinned name. */
export function bringColumn(scroller: HTMLElement | null, column: number): void {
  if (scroller === null || column === 0) return;
  const left = (column - 1) * COLUMN_PX;
  const room = scroller.clientWidth - NAME_PX;
  if (left < scroller.scrollLeft) scroller.scrollLeft = left;
  else if (left + COLUMN_PX > scroller.scrollLeft + room) scroller.scrollLeft = left + COLUMN_PX - room;
}

/** Return the position of the clicked cell; null outside of cells. */
export function placeUnder(target: EventTarget): Place | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  const [row, column] = (cell?.dataset["place"] ?? "").split(" ").map(Number);
  return row === undefined || column === undefined ? null : { row, column };
}
