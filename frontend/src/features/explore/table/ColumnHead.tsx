import { TextInput, type TextInputProps, UnstyledButton } from "@mantine/core";
import { memo } from "react";
import { nextSorting, SORT_ARROWS, type Sorting, sortState } from "@/lib/sorting";
import { SearchBox } from "@/ui/list/List";
import { filterFrom, filterShown, filterWritten } from "./filter";
import classes from "./TypesTable.module.css";
import { type Column, headUnit, titled } from "./table";

interface HeadProps {
  column: Column;
  filter: string;
  sorting: Sorting | undefined;
  onFilter: (column: string, text: string) => void;
  onSort: (sort: string | undefined) => void;
}

/** Column header: title with sort button, and filter field. */
export const ColumnHead = memo(function ColumnHead({ column, filter, sorting, onFilter, onSort }: HeadProps) {
  const { name, title, description } = column;
  return (
    <th scope="col" aria-sort={sortState(sorting, name)} title={description}>
      <SortButton title={title} unit={headUnit(column)} column={name} sorting={sorting} onSort={onSort} />
      <FilterField column={column} filter={filter} onFilter={onFilter} />
    </th>
  );
});

type NameFieldProps = { name: string; onName: (text: string) => void } & TextInputProps;

/** Filter field for names: words that a name must all contain. */
export function NameField({ name, onName, ...input }: NameFieldProps) {
  return (
    <SearchBox
      size="xs"
      aria-label="Name"
      placeholder="e.g. i3, m5 large"
      value={name}
      maxLength={100}
      onText={onName}
      {...input}
    />
  );
}

/** Filter field of a column, as free text. */
export function FilterField({
  column,
  filter,
  onFilter,
  labelled = false,
}: Pick<HeadProps, "column" | "filter" | "onFilter"> & { labelled?: boolean }) {
  const { unit, stated } = column;
  const read = filterFrom(filter, unit, stated);
  const wrong = "error" in read ? read.error : undefined;
  return (
    <TextInput
      size="xs"
      {...(labelled ? { label: titled(column) } : { "aria-label": `Filter ${column.title}` })}
      classNames={{ input: classes.filter }}
      value={filterShown(filter, unit, stated)}
      placeholder={labelled ? ">=8, 4..16" : "≥, <, .."}
      title={wrong ?? "As in >=8, <1.5, 4..16, >= 3 GB/s; ? for unknown values"}
      error={labelled ? wrong : wrong !== undefined}
      aria-invalid={wrong !== undefined}
      data-set={filter !== "" || undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onFilter(column.name, filterWritten(event.currentTarget.value, unit, stated))}
    />
  );
}

interface SortButtonProps {
  title: string;
  unit: string;
  column: string;
  sorting: Sorting | undefined;
  onSort: (sort: string | undefined) => void;
}

export function SortButton({ title, unit, column, sorting, onSort }: SortButtonProps) {
  const state = sortState(sorting, column);
  const now = sorting === undefined ? undefined : `${sorting.descending ? "-" : ""}${sorting.column}`;
  return (
    <UnstyledButton className={classes.sort} onClick={() => onSort(nextSorting(now, column))}>
      <span className={classes.title}>
        {title} <span aria-hidden="true">{SORT_ARROWS[state]}</span>
      </span>
      <span className={classes.unit}>{unit}</span>
    </UnstyledButton>
  );
}
