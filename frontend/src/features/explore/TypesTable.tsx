import { Popover, TextInput, type TextInputProps, UnstyledButton } from "@mantine/core";
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
import type { InstanceTypeTable, TableRow } from "@/api/catalogues";
import { Figure, SourceWords } from "./Figure";
import { filterFrom } from "./filter";
import { MOST_COMPARED, nextSorting, type Sorting } from "./search";
import classes from "./TypesTable.module.css";
import { type Column, cellOf, figureWords, unitWords } from "./table";

const ROW_PX = 33;
const OVERSCAN = 6;
const NAME_PX = 196;
const COLUMN_PX = 106;
/** Beside a page of rows, one is seen twice, so that the eye finds its place. */
const PAGE_ROWS = 14;

export interface TypesTableProps {
  table: InstanceTypeTable;
  /** What the filters keep, in order. */
  rows: readonly TableRow[];
  columns: readonly Column[];
  /** What a name must hold. */
  name: string;
  filters: ReadonlyMap<string, string>;
  sorting: Sorting | undefined;
  compared: readonly string[];
  opened: string | undefined;
  onName: (text: string) => void;
  onFilter: (column: string, text: string) => void;
  onSort: (sort: string | undefined) => void;
  onCompare: (name: string) => void;
  onOpen: (name: string) => void;
}

/** A place in the table: a row of those that are kept, a column; 0 is the name. */
interface Place {
  row: number;
  column: number;
}

/**
 * All types of a region, of which only the rows in sight are in the document.
 *
 * The table is one stop of the tab key; arrow keys, Page Up, Page Down, Home and End move a cursor in it. Enter on a
 * name opens the type, on a figure its source; space compares.
 */
export const TypesTable = memo(function TypesTable(props: TypesTableProps) {
  const { table, rows, columns, filters, sorting, compared, opened, onFilter, onSort, onCompare, onOpen } = props;
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
  // Another selection begins at its top; what was asked of a figure is over.
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
    // The box before a name compares; whatever else stands there opens.
    if (place.column > 0) setAsked(asked?.row === place.row && asked.column === place.column ? null : place);
  };
  const before_px = first?.start ?? 0;
  const after_px = virtual.getTotalSize() - (last?.end ?? 0);
  const activeId = (place: Place) => `${id}-${place.row}-${place.column}`;
  const full = compared.length >= MOST_COMPARED;
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
              <Row
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
        <Source
          key={`${asked.row} ${asked.column}`}
          place={asked}
          anchorId={activeId(asked)}
          props={props}
          onClose={() => setAsked(null)}
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

/** Where a key leads in the table; undefined where it leads nowhere. */
function movedTo({ key, ctrlKey }: KeyboardEvent, from: Place, last: Place): Place | undefined {
  const row = (to: number) => ({ ...from, row: Math.max(0, Math.min(last.row, to)) });
  const column = (to: number) => ({ ...from, column: Math.max(0, Math.min(last.column, to)) });
  const moves: Record<string, () => Place> = {
    ArrowDown: () => row(from.row + 1),
    ArrowUp: () => row(from.row - 1),
    PageDown: () => row(from.row + PAGE_ROWS),
    PageUp: () => row(from.row - PAGE_ROWS),
    ArrowRight: () => column(from.column + 1),
    ArrowLeft: () => column(from.column - 1),
    Home: () => (ctrlKey ? { row: 0, column: 0 } : column(0)),
    End: () => (ctrlKey ? { row: last.row, column: last.column } : column(last.column)),
  };
  return moves[key]?.();
}

/** Scroll sideways as far as it takes to see a column beside the pinned name. */
function bringColumn(scroller: HTMLElement | null, column: number): void {
  if (scroller === null || column === 0) return;
  const left = (column - 1) * COLUMN_PX;
  const room = scroller.clientWidth - NAME_PX;
  if (left < scroller.scrollLeft) scroller.scrollLeft = left;
  else if (left + COLUMN_PX > scroller.scrollLeft + room) scroller.scrollLeft = left + COLUMN_PX - room;
}

function placeUnder(target: EventTarget): Place | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  const [row, column] = (cell?.dataset["place"] ?? "").split(" ").map(Number);
  return row === undefined || column === undefined ? null : { row, column };
}

interface RowProps {
  id: string;
  table: InstanceTypeTable;
  row: TableRow;
  index: number;
  columns: readonly Column[];
  /** Where the cursor stands, if in this row. */
  activeColumn: number | null;
  compared: boolean;
  /** No more can be compared. */
  full: boolean;
  opened: boolean;
  onCompare: (name: string) => void;
  onOpen: (name: string) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { id, table, row, index, columns, activeColumn, compared, full, opened, onCompare, onOpen } = props;
  return (
    <tr aria-rowindex={index + 2} data-compared={compared || undefined} data-opened={opened || undefined}>
      <th
        scope="row"
        id={`${id}-0`}
        aria-label={row.name}
        className={classes.name}
        data-place={`${index} 0`}
        data-active={activeColumn === 0 || undefined}
      >
        <span className={classes.naming}>
          {/* The browser's own box and button: rows come and go as fast as somebody scrolls. */}
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Compare ${row.name}`}
            checked={compared}
            disabled={full && !compared}
            onChange={() => onCompare(row.name)}
          />
          <button type="button" className={classes.open} tabIndex={-1} onClick={() => onOpen(row.name)}>
            {row.name}
          </button>
        </span>
      </th>
      {columns.map((column, place) => (
        <td
          key={column.name}
          id={`${id}-${place + 1}`}
          data-place={`${index} ${place + 1}`}
          data-active={activeColumn === place + 1 || undefined}
        >
          <Figure cell={cellOf(table, row, column)} column={column} />
        </td>
      ))}
    </tr>
  );
});

interface HeadProps {
  column: Column;
  filter: string;
  sorting: Sorting | undefined;
  onFilter: (column: string, text: string) => void;
  onSort: (sort: string | undefined) => void;
}

const ColumnHead = memo(function ColumnHead({ column, filter, sorting, onFilter, onSort }: HeadProps) {
  const { name, title, description } = column;
  return (
    <th scope="col" aria-sort={sortState(sorting, name)} title={description}>
      <SortButton title={title} unit={unitWords(column)} column={name} sorting={sorting} onSort={onSort} />
      <FilterField column={column} filter={filter} onFilter={onFilter} />
    </th>
  );
});

/** The filter of the names: words that all must be in them. */
export function NameField({ name, onName, ...input }: Pick<TypesTableProps, "name" | "onName"> & TextInputProps) {
  return (
    <TextInput
      type="search"
      size="xs"
      aria-label="Name"
      placeholder="i3, m5 large, metal"
      value={name}
      maxLength={100}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onName(event.currentTarget.value)}
      {...input}
    />
  );
}

/** The filter of a column, as people write it. */
export function FilterField({
  column,
  filter,
  onFilter,
  labelled = false,
}: Pick<HeadProps, "column" | "filter" | "onFilter"> & { labelled?: boolean }) {
  const read = filterFrom(filter);
  const wrong = "error" in read ? read.error : undefined;
  const unit = unitWords(column);
  const label = `${column.title}${unit === "" ? "" : ` [${unit}]`}`;
  return (
    <TextInput
      size="xs"
      {...(labelled ? { label } : { "aria-label": `Filter ${column.title}` })}
      classNames={{ input: classes.filter }}
      value={filter}
      placeholder={labelled ? ">=8, 4..16" : "≥, <, .."}
      title={wrong ?? "As in >=8, <1.5, 4..16, 8; ? for what is not known"}
      error={labelled ? wrong : wrong !== undefined}
      aria-invalid={wrong !== undefined}
      data-set={filter !== "" || undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onFilter(column.name, event.currentTarget.value)}
    />
  );
}

function sortState(sorting: Sorting | undefined, column: string): "ascending" | "descending" | "none" {
  if (sorting?.column !== column) return "none";
  return sorting.descending ? "descending" : "ascending";
}

const ARROWS = { ascending: "↑", descending: "↓", none: "" } as const;

interface SortButtonProps {
  title: string;
  unit: string;
  column: string;
  sorting: Sorting | undefined;
  onSort: (sort: string | undefined) => void;
}

function SortButton({ title, unit, column, sorting, onSort }: SortButtonProps) {
  const state = sortState(sorting, column);
  const now = sorting === undefined ? undefined : `${sorting.descending ? "-" : ""}${sorting.column}`;
  return (
    <UnstyledButton className={classes.sort} onClick={() => onSort(nextSorting(now, column))}>
      <span className={classes.title}>
        {title} <span aria-hidden="true">{ARROWS[state]}</span>
      </span>
      <span className={classes.unit}>{unit}</span>
    </UnstyledButton>
  );
}

interface SourceProps {
  place: Place;
  anchorId: string;
  props: Pick<TypesTableProps, "table" | "rows" | "columns">;
  onClose: () => void;
}

/** What binary fractions add is no digit of anybody's. */
function allDigits(value: number): number {
  return Number(value.toPrecision(12));
}

/** Where the figure under the cursor is from. */
function Source({ place, anchorId, props: { table, rows, columns }, onClose }: SourceProps) {
  const anchor = useCallback(() => document.getElementById(anchorId), [anchorId]);
  const [row, column] = [rows[place.row], columns[place.column - 1]];
  const box = anchor()?.getBoundingClientRect();
  if (row === undefined || column === undefined || box === undefined) return null;
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
        <span
          className={classes.anchor}
          style={{ left: box.left, top: box.top, width: box.width, height: box.height }}
        />
      </Popover.Target>
      <Popover.Dropdown data-testid="source" role="dialog" aria-label={`Source of ${column.title} of ${row.name}`}>
        <div className={classes.source} role="status">
          <p>
            {row.name}, {column.title}
            {cell === null ? ": not known." : `: ${figureWords(cell.value)} ${unitWords(column)}`.trimEnd()}
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
