import { Checkbox, Group, UnstyledButton } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import { FULL } from "@/features/explore/search";
import { Figure } from "./Figure";
import classes from "./TypeCards.module.css";
import type { TypesTableProps } from "./TypesTable";
import { cellOf, unitWords } from "./table";

const HEAD_PX = 52;
const LINE_PX = 21;
const GAP_PX = 8;

type TypeCardsProps = Pick<
  TypesTableProps,
  "table" | "rows" | "columns" | "compared" | "full" | "opened" | "onCompare" | "onOpen"
>;

/** Types as cards, for narrow screens; only visible ones are rendered. */
export function TypeCards({ table, rows, columns, compared, full, opened, onCompare, onOpen }: TypeCardsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const found = list.current?.getBoundingClientRect().top ?? 0;
    setTop(found + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => HEAD_PX + columns.length * LINE_PX,
    gap: GAP_PX,
    overscan: 4,
    scrollMargin: top,
    useFlushSync: false,
  });
  return (
    <ul
      ref={list}
      className={`bare ${classes.cards}`}
      aria-label="Instance types"
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        if (row === undefined) return null;
        return (
          <li
            key={row.name}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-setsize={rows.length}
            aria-posinset={item.index + 1}
            className={classes.card}
            data-compared={compared.includes(row.name) || row.name === opened || undefined}
            style={{ transform: `translateY(${item.start - top}px)` }}
          >
            <Group justify="space-between" gap={12} wrap="nowrap">
              <UnstyledButton className="pick" onClick={() => onOpen(row.name)}>
                {row.name}
              </UnstyledButton>
              <Checkbox
                size="xs"
                label="Compare"
                aria-label={`Compare ${row.name}`}
                checked={compared.includes(row.name)}
                disabled={full && !compared.includes(row.name)}
                title={full && !compared.includes(row.name) ? FULL : undefined}
                onChange={() => onCompare(row.name)}
              />
            </Group>
            <dl className={`terms ${classes.figures}`}>
              {columns.map((column) => {
                const cell = cellOf(table, row, column);
                return (
                  <div key={column.name}>
                    <dt>{column.title}</dt>
                    <dd>
                      <Figure cell={cell} column={column} /> {cell !== null && unitWords(column)}
                    </dd>
                  </div>
                );
              })}
            </dl>
          </li>
        );
      })}
    </ul>
  );
}
