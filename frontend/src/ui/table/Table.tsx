import { type ComponentProps, Fragment, type ReactNode } from "react";
import { Value } from "@/ui/values/Value";
import { Scroller } from "./Scroller";

type DataAttributes = { [name: `data-${string}`]: string | number | boolean | undefined };

/** A number, the function that formats it, and its unit; on hover the number is shown with all digits and the unit. */
type Figure = readonly [exact: number, words: (exact: number) => string, unit: string];

/** Column whose cells are rendered by `cell`, or show the numbers of `value`. */
export type Column<Row> = Look<Row> &
  (
    | { cell: (row: Row, place: number) => ReactNode; value?: undefined }
    | { cell?: undefined; value: (row: Row) => Figure }
  );

interface Look<Row> {
  /** Identifies the column (default: its position). */
  name?: string;
  head: ReactNode;
  /** True for right-aligned numbers; those of `value` are. */
  number?: boolean;
  /** True if the cells are the headers of their rows; `strong` ones look like data in bold. */
  rowHead?: boolean | "strong";
  /** Small line below the content of a cell; none if null. */
  note?: (row: Row) => ReactNode;
  /** Class of the cells, in addition to that of numbers. */
  className?: string | undefined;
  headProps?: Omit<ComponentProps<"th">, "children"> & DataAttributes;
  cellProps?: (row: Row) => Omit<ComponentProps<"td">, "children"> & DataAttributes;
}

interface TableProps<Row> extends ComponentProps<"table"> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, place: number) => string | number;
  rowProps?: (row: Row) => Omit<ComponentProps<"tr">, "children"> & DataAttributes;
  /** Further row below a row. */
  details?: (row: Row) => ReactNode;
  /** Caption for screen readers. */
  caption?: string;
  /** Name of the scrolling region around the table (default: the table does not scroll). */
  scrolls?: string;
  /** Rows below those of `rows`, like a total. */
  children?: ReactNode;
}

/** Table with one header row, declared by its columns. */
export function Table<Row>({
  columns,
  rows,
  keyOf,
  rowProps,
  details,
  caption,
  scrolls,
  children,
  className = "plain",
  ...props
}: TableProps<Row>) {
  const table = (
    <table className={className} {...props}>
      {caption !== undefined && <caption className="spoken">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ name, head, value, number = value !== undefined, headProps }, place) => (
            <th key={name ?? place} scope="col" className={number ? "number" : undefined} {...headProps}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <Fragment key={keyOf(row, place)}>
            <tr {...rowProps?.(row)}>
              {columns.map((column, index) => cellOf(column, column.name ?? index, row, place))}
            </tr>
            {details?.(row)}
          </Fragment>
        ))}
        {children}
      </tbody>
    </table>
  );
  return scrolls === undefined ? table : <Scroller aria-label={scrolls}>{table}</Scroller>;
}

/** Return the element of a cell. It is not a component: tables that are drawn while the pointer moves have hundreds. */
function cellOf<Row>(column: Column<Row>, key: string | number, row: Row, place: number): ReactNode {
  const { value, number = value !== undefined, rowHead, note, className, cellProps } = column;
  const own = cellProps?.(row);
  const names = [number && "number", rowHead === "strong" && "strong", className, own?.className];
  const Element = rowHead ? "th" : "td";
  const small = note?.(row) ?? null;
  return (
    <Element
      key={key}
      {...(rowHead && { scope: "row" })}
      {...own}
      className={names.filter(Boolean).join(" ") || undefined}
    >
      {column.cell === undefined ? <ValueOf figure={column.value(row)} /> : column.cell(row, place)}
      {small !== null && <div className="dim small">{small}</div>}
    </Element>
  );
}

function ValueOf({ figure: [exact, words, unit] }: { figure: Figure }) {
  return <Value text={words(exact)} exact={exact} unit={unit} />;
}
