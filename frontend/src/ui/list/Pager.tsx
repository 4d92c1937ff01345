import { Button, Group } from "@mantine/core";
import { count } from "@/lib/wording";

interface PagerProps {
  /** Name of the paged rows: `types`. */
  rows: string;
  /** Index of the first displayed row. */
  first: number;
  /** Rows on a page. */
  size: number;
  total: number;
  onFirst: (first: number) => void;
}

/** Return the index of the first row of the page with a row, for an index from a URL that may be out of range. */
export function pageStart(row: number, size: number, total: number): number {
  const last = Math.max(0, total - 1);
  const inside = Number.isFinite(row) ? Math.min(last, Math.max(0, Math.floor(row))) : 0;
  return inside - (inside % size);
}

/** Buttons for the previous and next page of rows, with the position; nothing if all rows fit on one page. */
export function Pager({ rows, first, size, total, onFirst }: PagerProps) {
  if (total <= size) return null;
  const last = Math.min(total, first + size);
  return (
    <Group component="nav" gap={8} mt={8} className="no-print" aria-label={`Pages of ${rows}`}>
      <Button
        variant="default"
        size="compact-sm"
        disabled={first === 0}
        onClick={() => onFirst(Math.max(0, first - size))}
      >
        Previous
      </Button>
      <span className="dim small">
        {count(first + 1)}–{count(last)} of {count(total)}
      </span>
      <Button variant="default" size="compact-sm" disabled={last >= total} onClick={() => onFirst(first + size)}>
        Next
      </Button>
    </Group>
  );
}
