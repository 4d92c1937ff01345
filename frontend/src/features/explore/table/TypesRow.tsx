import { memo } from "react";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { FULL } from "@/features/explore/search";
import { Figure } from "./Figure";
import classes from "./TypesTable.module.css";
import { type Column, cellOf } from "./table";

interface RowProps {
  id: string;
  table: InstanceTypeTable;
  row: TableRow;
  index: number;
  columns: readonly Column[];
  /** Column of the cursor, if it is in this row. */
  activeColumn: number | null;
  compared: boolean;
  /** True if the comparison is full. */
  full: boolean;
  opened: boolean;
  onCompare: (name: string) => void;
  onOpen: (name: string) => void;
}

/** Table row: name with its checkbox, then its figures. */
export const TypesRow = memo(function TypesRow(props: RowProps) {
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
          {/* Native checkbox and button, since rows mount and unmount while scrolling. */}
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Compare ${row.name}`}
            checked={compared}
            disabled={full && !compared}
            title={full && !compared ? FULL : undefined}
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
