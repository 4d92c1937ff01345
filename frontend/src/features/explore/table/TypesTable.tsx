import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { type Sorting, sortState } from "@/lib/sorting";
import { ColumnHead, NameField, SortButton } from "./ColumnHead";
import { bringColumn, COLUMN_PX, movedTo, NAME_PX, type Place, placeUnder } from "./cursor";
import { FigureSource } from "./FigureSource";
import { TypesRow } from "./TypesRow";
import classes from "./TypesTable.module.css";
import type { Column } from "./table";

const ROW_PX = 33;

export interface TypesTableProps {
  table: InstanceTypeTable;
  /** Filtered rows, in order. */
  rows: readonly TableRow[];
  /** Index of the first displayed row, and the number of rows on a page. */
  first: number;
  size: number;
  columns: readonly Column[];
  /** Text that a name must contain. */
  name: string;
  filters: ReadonlyMap<string, string>;
  sorting: Sorting | undefined;
  compared: readonly string[];
  /** True if the comparison is full. */
  full: boolean;
  opened: string | undefined;
  onName: (text: string) => void;
  onFilter: (column: string, text: string) => void;
  onSort: (sort: string | undefined) => void;
  onCompare: (name: string) => void;
  onOpen: (name: string) => void;
  /** Shows the page with a row. */
  onRow: (index: number) => void;
}

/**
 * Table of the types, one page at a time.
 *
 * The table is one tab stop; arrow keys, Page Up, Page Down, Home and End move a cursor in it, also to other pages.
 * Enter on a name opens the type, on a figure its source; space toggles the comparison.
 */
export const TypesTable = memo(function TypesTable(props: TypesTableProps) {
  const { table, rows, first, size, columns, filters, sorting, compared, full, opened } = props;
  const { onFilter, onSort, onCompare, onOpen, onRow } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<Place>({ row: 0, column: 0 });
  const [inside, setInside] = useState(false);
  const [asked, setAsked] = useState<Place | null>(null);
  // A changed selection closes the source popover.
  const shape = useRef(rows);
  useEffect(() => {
    if (shape.current === rows) return;
    shape.current = rows;
    setCursor({ row: 0, column: 0 });
    setAsked(null);
  }, [rows]);
  const after = Math.min(rows.length, first + size);
  const active: Place = {
    row: cursor.row >= first && cursor.row < after ? cursor.row : first,
    column: Math.min(cursor.column, columns.length),
  };
  const activeId = (place: Place) => `${id}-${place.row}-${place.column}`;
  const enter = (place: Place) => {
    const row = rows[place.row];
    if (row === undefined) return;
    if (place.column === 0) onOpen(row.name);
    else setAsked(place);
  };
  const move = (to: Place) => {
    setCursor(to);
    setAsked(null);
    if (to.row < first || to.row >= after) onRow(to.row);
    bringColumn(scroller.current, to.column);
    // Rows of another page are rendered first.
    requestAnimationFrame(() => document.getElementById(activeId(to))?.scrollIntoView({ block: "nearest" }));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (event.target !== event.currentTarget) return;
    const to = movedTo(event, active, { row: rows.length - 1, column: columns.length });
    if (to !== undefined) move(to);
    else if (event.key === "Enter") enter(active);
    else if (event.key === " ") onCompare(rows[active.row]?.name ?? "");
    else if (event.key === "Escape" && asked !== null) setAsked(null);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent<HTMLTableElement>) => {
    const place = placeUnder(event.target);
    if (place === null) return;
    setCursor(place);
    // The checkbox before a name toggles the comparison; the rest of the row opens details.
    if (place.column > 0) setAsked(asked?.row === place.row && asked.column === place.column ? null : place);
  };
  const endAsking = useCallback(() => setAsked(null), []);
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      style={{ "--row": `${ROW_PX}px`, scrollPaddingLeft: NAME_PX } as CSSProperties}
      data-testid="types-scroller"
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid has a cursor of its own
        role="grid"
        className={classes.table}
        aria-label="Instance types"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={inside && after > first ? activeId(active) : undefined}
        tabIndex={0}
        style={{ width: NAME_PX + columns.length * COLUMN_PX }}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onFocus={(event) => setInside(event.target === event.currentTarget)}
        onBlur={() => setInside(false)}
      >
        <colgroup>
          <col style={{ width: NAME_PX }} />
          {columns.map(({ name }) => (
            <col key={name} style={{ width: COLUMN_PX }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={classes.name} aria-sort={sortState(sorting, "name")}>
              <SortButton title="Type" unit="" column="name" sorting={sorting} onSort={onSort} />
              <NameField name={props.name} onName={props.onName} classNames={{ input: classes.nameFilter ?? "" }} />
            </th>
            {columns.map((column) => (
              <ColumnHead
                key={column.name}
                column={column}
                filter={filters.get(column.name) ?? ""}
                sorting={sorting}
                onFilter={onFilter}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(first, after).map((row, place) => {
            const index = first + place;
            return (
              <TypesRow
                key={row.name}
                id={`${id}-${index}`}
                table={table}
                row={row}
                index={index}
                columns={columns}
                activeColumn={inside && index === active.row ? active.column : null}
                compared={compared.includes(row.name)}
                full={full}
                opened={row.name === opened}
                onCompare={onCompare}
                onOpen={onOpen}
              />
            );
          })}
        </tbody>
      </table>
      {asked !== null && (
        <FigureSource
          key={`${asked.row} ${asked.column}`}
          place={asked}
          anchorId={activeId(asked)}
          shown={props}
          onClose={endAsking}
        />
      )}
    </div>
  );
});
