import { useVirtualizer } from "@tanstack/react-virtual";
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
const OVERSCAN = 6;

export interface TypesTableProps {
  table: InstanceTypeTable;
  /** Filtered rows, in order. */
  rows: readonly TableRow[];
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
}

/**
 * Virtualized table of all types of a region.
 *
 * The table is one tab stop; arrow keys, Page Up, Page Down, Home and End move a cursor in it. Enter on a name opens
 * the type, on a figure its source; space toggles the comparison.
 */
export const TypesTable = memo(function TypesTable(props: TypesTableProps) {
  const { table, rows, columns, filters, sorting, compared, full, opened, onFilter, onSort, onCompare, onOpen } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<Place>({ row: 0, column: 0 });
  const [inside, setInside] = useState(false);
  const [asked, setAsked] = useState<Place | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollPaddingStart: 96,
    useFlushSync: false,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  // A changed selection scrolls to the top and closes the source popover.
  const shape = rows;
  const shapeBefore = useRef(shape);
  useEffect(() => {
    if (shapeBefore.current === shape) return;
    shapeBefore.current = shape;
    setCursor({ row: 0, column: 0 });
    setAsked(null);
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [shape]);
  const active: Place = { row: Math.min(cursor.row, rows.length - 1), column: Math.min(cursor.column, columns.length) };
  const isActiveThere =
    first !== undefined && last !== undefined && active.row >= first.index && active.row <= last.index;
  const enter = (place: Place) => {
    const row = rows[place.row];
    if (row === undefined) return;
    if (place.column === 0) onOpen(row.name);
    else setAsked(place);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (event.target !== event.currentTarget) return;
    const to = movedTo(event, active, { row: rows.length - 1, column: columns.length });
    if (to !== undefined) {
      setCursor(to);
      setAsked(null);
      virtual.scrollToIndex(to.row, { align: "auto" });
      bringColumn(scroller.current, to.column);
    } else if (event.key === "Enter") enter(active);
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
  const before_px = first?.start ?? 0;
  const after_px = virtual.getTotalSize() - (last?.end ?? 0);
  const activeId = (place: Place) => `${id}-${place.row}-${place.column}`;
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
        aria-activedescendant={inside && isActiveThere ? activeId(active) : undefined}
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
          {before_px > 0 && <Spacer height={before_px} />}
          {items.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
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
          {after_px > 0 && <Spacer height={after_px} />}
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

function Spacer({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr aria-hidden="true" className={classes.spacer}>
      <td style={{ height }} />
    </tr>
  );
}
