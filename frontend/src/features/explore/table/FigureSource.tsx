import { Popover } from "@mantine/core";
import { useEffect, useState } from "react";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { withUnit } from "@/lib/quantities";
import type { Place } from "./cursor";
import { SourceWords } from "./Figure";
import classes from "./TypesTable.module.css";
import { type Column, cellOf, unitWords } from "./table";

interface FigureSourceProps {
  place: Place;
  /** Element id of the cell. */
  anchorId: string;
  shown: { table: InstanceTypeTable; rows: readonly TableRow[]; columns: readonly Column[] };
  onClose: () => void;
}

/** Round off binary floating-point noise. */
function allDigits(value: number): number {
  return Number(value.toPrecision(12));
}

/** Popover with the source of a figure. Follows its cell, and closes when the cell scrolls out of view. */
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

/** Track the screen position of a cell; calls `onGone` when it scrolls out of view or leaves the document. */
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

/** Check if the center of a cell is outside of the table or of the window. */
function isOutside(box: DOMRect, room: DOMRect): boolean {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return y < 0 || y > window.innerHeight || x < room.left || x > room.right;
}
