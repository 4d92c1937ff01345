import { Popover } from "@mantine/core";
import { useEffect, useState } from "react";
import type { InstanceTypeTable, TableRow } from "@/api/catalog/catalogs";
import { withUnit } from "@/lib/quantities";
import type { Place } from "./cursor";
import { SourceWords } from "./Figure";
import classes from "./TypesTable.module.css";
import { type Column, cellOf, unitWords } from "./table";

/** The head of the table, below which its rows go. */
const HEAD_PX = 96;

interface FigureSourceProps {
  place: Place;
  /** The cell that is asked about. */
  anchorId: string;
  shown: { table: InstanceTypeTable; rows: readonly TableRow[]; columns: readonly Column[] };
  onClose: () => void;
}

/** What binary fractions add is no digit of anybody's. */
function allDigits(value: number): number {
  return Number(value.toPrecision(12));
}

/** Where a figure is from. It goes where its cell goes, and closes when that scrolls out of sight. */
export function FigureSource({ place, anchorId, shown: { table, rows, columns }, onClose }: FigureSourceProps) {
  const box = useSeen(anchorId, onClose);
  const [row, column] = [rows[place.row], columns[place.column - 1]];
  if (row === undefined || column === undefined || box === null) return null;
  const { left, top, width, height } = box;
  const cell = cellOf(table, row, column);
  return (
    <Popover
      opened
      onClose={onClose}
      position="bottom"
      withRoles={false}
      shadow="md"
      width={320}
      trapFocus={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <span className={classes.anchor} style={{ left, top, width, height }} />
      </Popover.Target>
      <Popover.Dropdown data-testid="source" role="dialog" aria-label={`Source of ${column.title} of ${row.name}`}>
        <div className={classes.source} role="status">
          <p>
            {row.name}, {column.title}
            {cell === null ? ": not known." : `: ${withUnit(cell.value, column.unit)}`}
          </p>
          {cell !== null && (
            <>
              <p className="dim small">
                All digits: {allDigits(cell.value)} {unitWords(column)}
              </p>
              <p>
                <SourceWords source={cell.source} />
              </p>
            </>
          )}
          <p className="dim small">{column.description}</p>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function boxOf(id: string): DOMRect | null {
  return document.getElementById(id)?.getBoundingClientRect() ?? null;
}

/** Where a cell is on the screen; ends where it scrolls out of its table or goes from the document. */
function useSeen(id: string, onGone: () => void): DOMRect | null {
  const [box, setBox] = useState(() => boxOf(id));
  useEffect(() => {
    const follow = () => {
      const cell = document.getElementById(id);
      const room = cell?.closest("[data-testid=types-scroller]")?.getBoundingClientRect();
      const now = boxOf(id);
      if (room === undefined || now === null || isOutside(now, room)) onGone();
      else setBox(now);
    };
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", follow, { capture: true });
  }, [id, onGone]);
  return box;
}

/** Whether the middle of a box is not within another. */
function isOutside(box: DOMRect, room: DOMRect): boolean {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return y < room.top + HEAD_PX || y > room.bottom || x < room.left || x > room.right;
}
