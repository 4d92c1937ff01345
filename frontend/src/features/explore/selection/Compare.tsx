import { Button, Checkbox, CloseButton, Group } from "@mantine/core";
import { useState } from "react";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { Figure } from "@/features/explore/table/Figure";
import { type Column, cellOf, headUnit } from "@/features/explore/table/table";
import { threeDigits } from "@/lib/wording";
import { Scroller } from "@/ui/table/Scroller";
import classes from "./Compare.module.css";

interface CompareProps {
  table: InstanceTypeTable;
  rows: readonly TableRow[];
  /** Types in the URL that the region does not sell. */
  missing: readonly string[];
  onRemove: (name: string) => void;
  onClear: () => void;
  onOpen: (name: string) => void;
}

/** Comparison of up to five types side by side in all columns; differences from the first are marked and quantified. */
export function Compare({ table, rows, missing, onRemove, onClear, onOpen }: CompareProps) {
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const columns = table.columns.map((column, index): Column => ({ ...column, index }));
  const known = columns.filter((column) => rows.some((row) => cellOf(table, row, column) !== null));
  const shown = onlyDifferent ? known.filter((column) => differs(rows, column)) : known;
  return (
    <section className="card" aria-labelledby="compared">
      <Group justify="space-between" gap="4px 16px">
        <h2 id="compared">Compared</h2>
        <Group justify="space-between" gap="4px 16px" className="no-print">
          <Checkbox
            size="xs"
            label="Only what differs"
            checked={onlyDifferent}
            onChange={(event) => setOnlyDifferent(event.currentTarget.checked)}
          />
          <Button variant="subtle" size="compact-xs" onClick={onClear}>
            Clear
          </Button>
        </Group>
      </Group>
      {rows.length === 1 && <p className="dim">Tick another type in the table to see what differs.</p>}
      {missing.map((name) => (
        <Group key={name} gap={8} my={4} className="dim">
          {name} is not sold in {table.region}, as far as {table.catalog_version} knows.
          <CloseButton
            size="xs"
            className="no-print"
            aria-label={`No longer compare ${name}`}
            onClick={() => onRemove(name)}
          />
        </Group>
      ))}
      {rows.length > 0 && <Table table={table} rows={rows} shown={shown} onRemove={onRemove} onOpen={onOpen} />}
    </section>
  );
}

type TableProps = Pick<CompareProps, "table" | "rows" | "onRemove" | "onOpen"> & { shown: readonly Column[] };

function Table({ table, rows, shown, onRemove, onOpen }: TableProps) {
  const [first] = rows;
  return (
    <Scroller aria-label="Compared types" className={`${classes.scroller} sideways`}>
      <table className={`plain ${classes.table}`}>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            {rows.map(({ name }) => (
              <th key={name} scope="col" className="number">
                <Button variant="subtle" size="compact-xs" onClick={() => onOpen(name)}>
                  {name}
                </Button>
                <CloseButton
                  size="xs"
                  className="no-print"
                  aria-label={`No longer compare ${name}`}
                  onClick={() => onRemove(name)}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((column) => {
            const different = differs(rows, column);
            return (
              <tr key={column.name} data-different={different || undefined}>
                <th scope="row" title={column.description}>
                  {column.title} <span className="dim">{headUnit(column)}</span>
                  {different && <span className="spoken"> (differs)</span>}
                </th>
                {rows.map((row) => (
                  <td key={row.name} className="number">
                    <Figure cell={cellOf(table, row, column)} column={column} />
                    {first !== undefined && row !== first && <Against first={first} row={row} column={column} />}
                  </td>
                ))}
              </tr>
            );
          })}
          <Texts rows={rows} title="Disks are" text={({ disk_media }) => disk_media?.toUpperCase() ?? "none"} />
          <Texts rows={rows} title="Traits" text={({ traits }) => traits.join(", ") || "none"} />
        </tbody>
      </table>
    </Scroller>
  );
}

function differs(rows: readonly TableRow[], { index }: Column): boolean {
  return new Set(rows.map(({ values }) => values[index] ?? null)).size > 1;
}

function Against({ first, row, column: { index } }: { first: TableRow; row: TableRow; column: Column }) {
  const [one, other] = [first.values[index] ?? null, row.values[index] ?? null];
  if (one === null || other === null || one === other || one === 0) return null;
  const factor = other / one;
  const words =
    factor >= 2 ? `× ${threeDigits(factor)}` : `${factor > 1 ? "+" : "−"}${threeDigits(100 * Math.abs(factor - 1))}%`;
  return (
    <div className="dim small" title={`Against ${first.name}`}>
      {words}
    </div>
  );
}

interface TextsProps {
  rows: readonly TableRow[];
  title: string;
  text: (row: TableRow) => string;
}

function Texts({ rows, title, text }: TextsProps) {
  const different = new Set(rows.map(text)).size > 1;
  return (
    <tr data-different={different || undefined}>
      <th scope="row">{title}</th>
      {rows.map((row) => (
        <td key={row.name} className={`number ${classes.text}`}>
          {text(row)}
        </td>
      ))}
    </tr>
  );
}
