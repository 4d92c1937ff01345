import type { ReactNode } from "react";

export interface Column<Row> {
  head: ReactNode;
  /** Unique among the columns; by default the head, if it is a text. */
  name?: string;
  /** Right-aligned figures. */
  number?: boolean;
  /** Cells are the heads of their rows: as small as the heads of columns, or in the type of the cells. */
  rowHead?: "small" | "strong";
  title?: (row: Row) => string;
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Name of a wide table, which then scrolls sideways on its own. */
  scrolls?: string;
  /** Id of the heading that names the table. */
  labelledBy?: string;
  /** Caption for screen readers. */
  caption?: ReactNode;
  className?: string;
  titleOf?: (row: Row) => string;
  /** Rows after the others, such as a sum. */
  children?: ReactNode;
}

/** Table of rows with the same columns. */
export function Table<Row>({
  columns,
  rows,
  keyOf,
  scrolls,
  labelledBy,
  caption,
  className = "",
  titleOf,
  children,
}: TableProps<Row>) {
  const named = columns.map((column) => ({ ...column, name: column.name ?? String(column.head) }));
  const table = (
    <table className={`plain ${className}`.trimEnd()} aria-labelledby={labelledBy}>
      {caption !== undefined && <caption className="spoken">{caption}</caption>}
      <thead>
        <tr>
          {named.map(({ name, head, number }) => (
            <th key={name} scope="col" className={number ? "number" : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} title={titleOf?.(row)}>
            {named.map((column) => (
              <Cell key={column.name} column={column} row={row} />
            ))}
          </tr>
        ))}
        {children}
      </tbody>
    </table>
  );
  return scrolls === undefined ? table : <Scroller label={scrolls}>{table}</Scroller>;
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { rowHead, number, title, cell } = column;
  if (rowHead === undefined) {
    return (
      <td className={number ? "number" : undefined} title={title?.(row)}>
        {cell(row)}
      </td>
    );
  }
  return (
    <th scope="row" className={rowHead} title={title?.(row)}>
      {cell(row)}
    </th>
  );
}

interface ScrollerProps {
  label: string;
  className?: string;
  children: ReactNode;
}

/** Region that scrolls on its own. */
export function Scroller({ label, className = "scroller", children }: ScrollerProps) {
  return (
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
