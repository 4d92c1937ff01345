import { Checkbox, UnstyledButton } from "@mantine/core";
import { FULL } from "@/features/explore/search";
import { PRICE_OF } from "@/lib/purchases";
import { Figure } from "./Figure";
import classes from "./TypeCards.module.css";
import type { TypesTableProps } from "./TypesTable";
import { cellOf, columnsNamed, headUnit, unitWords } from "./table";

type TypeCardsProps = Pick<
  TypesTableProps,
  "table" | "rows" | "first" | "size" | "columns" | "compared" | "full" | "opened" | "onCompare" | "onOpen"
>;

/** Types as compact rows for narrow screens, one page at a time: name and price, then the other figures. */
export function TypeCards(props: TypeCardsProps) {
  const { table, rows, first, size, columns, compared, full, opened, onCompare, onOpen } = props;
  const price = columnsNamed(table, [PRICE_OF[table.purchase]])[0];
  const others = columns.filter(({ name }) => name !== price?.name);
  return (
    <ul className={`bare ruled ${classes.cards}`} data-rows aria-label="Instance types">
      {rows.slice(first, first + size).map((row) => (
        <li key={row.name} data-compared={compared.includes(row.name) || row.name === opened || undefined}>
          <div className={classes.head}>
            <Checkbox
              size="xs"
              classNames={{ root: classes.box ?? "" }}
              aria-label={`Compare ${row.name}`}
              checked={compared.includes(row.name)}
              disabled={full && !compared.includes(row.name)}
              title={full && !compared.includes(row.name) ? FULL : undefined}
              onChange={() => onCompare(row.name)}
            />
            <UnstyledButton className={`pick ${classes.name}`} onClick={() => onOpen(row.name)}>
              {row.name}
            </UnstyledButton>
            {price !== undefined && (
              <span className={classes.price}>
                <Figure cell={cellOf(table, row, price)} column={price} /> {unitWords(price)}
              </span>
            )}
          </div>
          <dl className={`small ${classes.figures}`}>
            {others.map((column) => {
              const cell = cellOf(table, row, column);
              return cell === null ? null : (
                <div key={column.name}>
                  <dt className="dim">{column.title.replace(/ \(.*\)$/, "")}</dt>
                  <dd>
                    <Figure cell={cell} column={column} /> {headUnit(column)}
                  </dd>
                </div>
              );
            })}
          </dl>
        </li>
      ))}
    </ul>
  );
}
