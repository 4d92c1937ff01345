import { Button, Checkbox, Group, Popover } from "@mantine/core";
import type { InstanceTypeTable } from "@/api/generated";
import classes from "./Toolbar.module.css";
import { type Column, titled, usualColumns } from "./table/table";

interface ColumnChooserProps {
  table: InstanceTypeTable;
  columns: readonly Column[];
  /** Undefined selects the default columns. */
  onChoose: (names: string[] | undefined) => void;
}

/** Menu of the visible columns, by group. */
export function ColumnChooser({ table, columns, onChoose }: ColumnChooserProps) {
  const shown = new Set(columns.map(({ name }) => name));
  const groups = [...new Set(table.columns.map(({ group }) => group))];
  const choose = (names: ReadonlySet<string>) => {
    // Catalog order keeps related columns together.
    const ordered = table.columns.map(({ name }) => name).filter((name) => names.has(name));
    const usual = new Set(usualColumns(table.purchase));
    onChoose(ordered.length === usual.size && ordered.every((name) => usual.has(name)) ? undefined : ordered);
  };
  return (
    <Popover position="bottom-start" shadow="md" width="min(560px, 92vw)" transitionProps={{ duration: 80 }}>
      <Popover.Target>
        <Button variant="default" size="xs">
          Columns ({columns.length} of {table.columns.length})
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <div className={classes.groups}>
          {groups.map((group) => (
            <fieldset key={group} className={`fieldset ${classes.group}`}>
              <legend>{group}</legend>
              {table.columns
                .filter((column) => column.group === group)
                .map((column) => (
                  <Checkbox
                    key={column.name}
                    size="xs"
                    label={titled(column)}
                    title={column.description}
                    checked={shown.has(column.name)}
                    disabled={shown.size === 1 && shown.has(column.name)}
                    onChange={(event) => {
                      const next = new Set(shown);
                      if (event.currentTarget.checked) next.add(column.name);
                      else next.delete(column.name);
                      choose(next);
                    }}
                  />
                ))}
            </fieldset>
          ))}
        </div>
        <Group gap={8} mt={10} wrap="nowrap" align="stretch">
          <Button variant="subtle" size="compact-xs" onClick={() => choose(new Set(table.columns.map((c) => c.name)))}>
            All
          </Button>
          <Button variant="subtle" size="compact-xs" onClick={() => onChoose(undefined)}>
            The usual ones
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
