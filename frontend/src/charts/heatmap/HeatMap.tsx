import { useElementSize } from "@mantine/hooks";
import { type FocusEvent, type KeyboardEvent, type MouseEvent, memo, useId, useRef, useState } from "react";
import type { CellsFigure, HeatCell, HeatPlace, HeatScale } from "@/charts/figure";
import classes from "./HeatMap.module.css";

interface HeatMapProps {
  figure: CellsFigure;
  label: string;
}

const TITLE_PX = 20;
const HEADS_PX = 22;
const DIGIT_PX = 7;
const WIDEST_PX = 150;
/** Height of the scale below the cells. */
const SCALE_PX = 52;
const ROOMY = { width: 74, height: 40 };
const NARROW = { width: 38, height: 26 };
/** Maximum number of columns with full texts in the cells. */
const MANY_COLUMNS = 16;

/** Check if the grid has too many columns for full texts. */
export function isNarrow(columns: number): boolean {
  return columns > MANY_COLUMNS;
}

interface Layout {
  left: number;
  cell: { width: number; height: number };
  narrow: boolean;
  /** Interval of displayed column heads, if heads are wider than columns. */
  headEvery: number;
  size: { width: number; height: number };
}

function layout({ columns, rows, scale }: CellsFigure, available_px: number): Layout {
  const scaled = scale !== undefined;
  const longest = Math.max(...rows.values.map((value) => value.length));
  const left = Math.min(110, Math.max(40, longest * DIGIT_PX + 10));
  const narrow = isNarrow(columns.values.length);
  const least = narrow ? NARROW : ROOMY;
  const each = Math.floor((available_px - left) / columns.values.length);
  const cell = { width: Math.min(WIDEST_PX, Math.max(least.width, each)), height: least.height };
  const size = {
    width: left + cell.width * columns.values.length,
    height: TITLE_PX + HEADS_PX + cell.height * rows.values.length + (scaled ? SCALE_PX : 0),
  };
  const head_px = (Math.max(...columns.values.map((value) => value.length)) + 1) * DIGIT_PX;
  const headEvery = narrow ? Math.max(1, Math.ceil(head_px / cell.width)) : 1;
  return { left, cell, narrow, headEvery, size };
}

/**
 * Render values over a grid of two quantities.
 *
 * Keyboard access follows the grid pattern: one cell is in the tab order; arrow keys, Home, End and Ctrl combinations
 * move the focus; Enter and Space open a cell.
 */
export function HeatMap({ figure, label }: HeatMapProps) {
  const { columns, rows, cell, missing, open, onOpen } = figure;
  const { ref, width } = useElementSize();
  const grid = useRef<SVGSVGElement>(null);
  const id = useId().replace(/[^\w-]/g, "");
  const [at, setAt] = useState<HeatPlace>(open ?? { column: 0, row: 0 });
  const drawn = layout(figure, width);
  const last = { column: columns.values.length - 1, row: rows.values.length - 1 };
  const go = (place: HeatPlace) => {
    setAt(place);
    grid.current?.querySelector<SVGGElement>(`[data-place="${place.column}-${place.row}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const place = placeOf(event.target);
    if (place === null) return;
    const next = moved(event, place, last);
    if (next !== null) go(next);
    else if (event.key === "Enter" || event.key === " ") onOpen(place);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const place = placeOf(event.target);
    if (place === null) return;
    setAt(place);
    onOpen(place);
  };
  const onFocus = (event: FocusEvent) => {
    const place = placeOf(event.target);
    if (place !== null) setAt(place);
  };
  const top = TITLE_PX + HEADS_PX;
  return (
    <div ref={ref} className={classes.scroll}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a table cannot be saved as a picture
        <svg
          ref={grid}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the same
          role="grid"
          aria-label={label}
          className={classes.map}
          width={drawn.size.width}
          height={drawn.size.height}
          onClick={onClick}
          onKeyDown={onKey}
          onFocus={onFocus}
        >
          <defs>
            <pattern id={`${id}-none`} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="7" height="7" className={classes.ground} />
              <line x1="0" y1="0" x2="0" y2="7" className={classes.hatch} />
            </pattern>
          </defs>
          <text x={0} y={13} className={classes.title}>
            {`${columns.title} →   ${rows.title} ↓`}
          </text>
          {/* biome-ignore-start lint/a11y/useSemanticElements: as above */}
          {/* biome-ignore-start lint/a11y/useFocusableInteractive: heads are read with their cells, not visited */}
          <g role="row">
            <g role="columnheader">
              <title>{`${rows.title} by ${columns.title}`}</title>
            </g>
            {columns.values.map((value, column) => (
              <g key={value} role="columnheader" aria-label={value}>
                {column % drawn.headEvery === 0 && (
                  <text
                    x={drawn.left + (column + 0.5) * drawn.cell.width}
                    y={TITLE_PX + 14}
                    textAnchor="middle"
                    className={classes.head}
                  >
                    {fitted(value, drawn.headEvery * drawn.cell.width)}
                  </text>
                )}
              </g>
            ))}
          </g>
          {rows.values.map((rowValue, row) => (
            <g key={rowValue} role="row" transform={`translate(0 ${top + row * drawn.cell.height})`}>
              <g role="rowheader">
                <text x={drawn.left - 8} y={drawn.cell.height / 2 + 4} textAnchor="end" className={classes.head}>
                  {fitted(rowValue, drawn.left)}
                </text>
              </g>
              {columns.values.map((columnValue, column) => (
                <Cell
                  key={columnValue}
                  column={column}
                  row={row}
                  x={drawn.left + column * drawn.cell.width}
                  width={drawn.cell.width}
                  height={drawn.cell.height}
                  narrow={drawn.narrow}
                  head={`${columnValue}, ${rowValue}`}
                  cell={cell({ column, row })}
                  missing={missing}
                  empty={`url(#${id}-none)`}
                  selected={open?.column === column && open.row === row}
                  inOrder={at.column === column && at.row === row}
                />
              ))}
            </g>
          ))}
          {figure.scale !== undefined && (
            <Scale scale={figure.scale} top={top + drawn.cell.height * rows.values.length} width={drawn.size.width} />
          )}
          {/* biome-ignore-end lint/a11y/useFocusableInteractive: see above */}
          {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
        </svg>
      )}
    </div>
  );
}

const SCALE_STEPS = 41;
const WIDEST_SCALE_PX = 420;

/** Scale of a sequential color with its values; the cells and the table contain the same in text. */
function Scale({ scale: { title, fill, ticks }, top, width }: { scale: HeatScale; top: number; width: number }) {
  const length = Math.min(WIDEST_SCALE_PX, width);
  const step = length / SCALE_STEPS;
  const last = ticks.length - 1;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <g aria-hidden="true" transform={`translate(0 ${top + 8})`}>
      <text x={0} y={11} className={classes.title}>
        {title}
      </text>
      {Array.from({ length: SCALE_STEPS }, (_, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other name
          key={at}
          x={at * step}
          y={17}
          width={step + 0.5}
          height={10}
          style={{ fill: fill(at / (SCALE_STEPS - 1)) }}
        />
      ))}
      {ticks.map((text, at) => (
        <text
          key={text}
          x={last === 0 ? 0 : (at / last) * length}
          y={41}
          textAnchor={at === 0 ? "start" : at === last ? "end" : "middle"}
          className={classes.head}
        >
          {text}
        </text>
      ))}
    </g>
  );
}

/** Return the place of an event's cell. */
function placeOf(target: EventTarget): HeatPlace | null {
  const text = target instanceof Element ? target.closest<SVGGElement>("[data-place]")?.dataset["place"] : undefined;
  const [column, row] = (text ?? "").split("-").map(Number);
  return column === undefined || row === undefined ? null : { column, row };
}

interface CellProps extends HeatPlace {
  x: number;
  width: number;
  height: number;
  narrow: boolean;
  head: string;
  cell: HeatCell | undefined;
  missing: string;
  /** Pattern of cells without a value. */
  empty: string;
  selected: boolean;
  /** True if the cell is in the tab order. */
  inOrder: boolean;
}

/** One of up to 2,500 cells, memoized to render only when it changes. */
const Cell = memo(function Cell({
  column,
  row,
  x,
  width,
  height,
  narrow,
  head,
  cell,
  missing,
  empty,
  ...is
}: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be saved as a picture
    <g
      role="gridcell"
      className={classes.cell}
      data-place={`${column}-${row}`}
      data-state={cell === undefined ? "missing" : cell.fill === undefined ? "empty" : "value"}
      tabIndex={is.inOrder ? 0 : -1}
      aria-selected={is.selected}
      aria-label={`${head}: ${cell === undefined ? missing : labelOf(cell, textsIn(cell, width, narrow))}`}
      transform={`translate(${x} 0)`}
    >
      <rect width={width} height={height} rx="3" style={{ fill: cell?.fill ?? empty }} />
      {cell !== undefined && (
        <CellText
          texts={textsIn(cell, width, narrow)}
          mark={cell.mark}
          ink={cell.ink}
          width={width}
          height={height}
          small={narrow}
        />
      )}
      <rect className={classes.ring} x="3" y="3" width={width - 6} height={height - 6} rx="2" />
    </g>
  );
});

/** Return the lines that fit in a cell. */
function textsIn({ text, second, brief }: HeatCell, width: number, narrow: boolean): string[] {
  if (narrow) return [brief];
  return [text, ...(second === undefined ? [] : [second])].map((each) => fitted(each, width));
}

/** Build the accessible label of a cell: its displayed text first, then the rest. */
function labelOf({ text, second, rest }: HeatCell, drawn: readonly string[]): string {
  const words = [...new Set([...drawn, text, ...(second === undefined ? [] : [second])])];
  return `${words.join(" ")}. ${rest}`;
}

interface CellTextProps extends Pick<HeatCell, "mark" | "ink"> {
  texts: readonly string[];
  width: number;
  height: number;
  small: boolean;
}

function CellText({ texts: [first, second], mark, ink, width, height, small }: CellTextProps) {
  const style = ink === undefined ? {} : { style: { fill: ink } };
  const middle = { x: width / 2, textAnchor: "middle" as const, ...style };
  return (
    <>
      <text
        {...middle}
        y={second === undefined ? height / 2 + 4 : height / 2 - 3}
        className={small ? classes.second : ""}
      >
        {/* The trailing space separates the words for screen readers; it is not visible. */}
        {second === undefined ? first : `${first} `}
      </text>
      {second !== undefined && (
        <text {...middle} y={height / 2 + 12} className={classes.second}>
          {second}
        </text>
      )}
      {mark !== undefined && (
        <text x={width - 3} y={10} textAnchor="end" className={classes.second} {...style}>
          {mark}
        </text>
      )}
    </>
  );
}

/** Truncate text that would overflow the cell; the label contains all of it. */
function fitted(text: string, width_px: number): string {
  const room = Math.max(3, Math.floor((width_px - 2) / (DIGIT_PX - 0.6)));
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** Return the place that a key moves to; null for other keys. */
function moved(event: KeyboardEvent, { column, row }: HeatPlace, last: HeatPlace): HeatPlace | null {
  const far = event.ctrlKey || event.metaKey;
  const to: Record<string, HeatPlace> = {
    ArrowLeft: { column: Math.max(0, column - 1), row },
    ArrowRight: { column: Math.min(last.column, column + 1), row },
    ArrowUp: { column, row: Math.max(0, row - 1) },
    ArrowDown: { column, row: Math.min(last.row, row + 1) },
    Home: { column: 0, row: far ? 0 : row },
    End: { column: last.column, row: far ? last.row : row },
    PageUp: { column, row: 0 },
    PageDown: { column, row: last.row },
  };
  return to[event.key] ?? null;
}
