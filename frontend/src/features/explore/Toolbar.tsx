import { Button, Checkbox, Group, NativeSelect, Popover, Stack } from "@mantine/core";
import type { TableRow } from "@/api/catalog/catalogs";
import type { InstanceTypeTable } from "@/api/generated";
import { filenameFrom, saveCsv } from "@/lib/csv";
import { sortingIn } from "@/lib/sorting";
import { Disclosure } from "@/ui/Disclosure";
import { ColumnChooser } from "./ColumnChooser";
import {
  type Change,
  type ExploreSearch,
  filtersIn,
  isFiltered,
  joined,
  listed,
  MEDIA_WORDS,
  NO_FILTERS,
} from "./search";
import classes from "./Toolbar.module.css";
import { FilterField, NameField } from "./table/ColumnHead";
import { filterFrom, filterShown } from "./table/filter";
import { allTraits, type Column, columnsNamed, tableCsv } from "./table/table";

interface ToolbarProps {
  table: InstanceTypeTable;
  rows: readonly TableRow[];
  columns: readonly Column[];
  search: ExploreSearch;
  /** True in the layout without column headers to sort and filter by. */
  narrow: boolean;
  onChange: Change;
  onFilter: (column: string, text: string) => void;
}

/** Toolbar of the table: name, media, trait and column filters, and the CSV download. */
export function Toolbar({ table, rows, columns, search, narrow, onChange, onFilter }: ToolbarProps) {
  const settings = (
    <Group gap={8}>
      <NativeSelect
        size="xs"
        aria-label="Disks"
        value={search.media ?? ""}
        data={[
          { value: "", label: "With and without disks" },
          ...Object.entries(MEDIA_WORDS).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => onChange({ media: event.currentTarget.value })}
      />
      <Traits table={table} traits={listed(search.traits)} onChoose={(next) => onChange({ traits: joined(next) })} />
      <ColumnChooser table={table} columns={columns} onChoose={(names) => onChange({ columns: names?.join(",") })} />
      <Button
        variant="default"
        size="xs"
        disabled={rows.length === 0}
        onClick={() =>
          saveCsv(
            tableCsv(rows, columns, table.price_terms?.words),
            filenameFrom(`stowage ${table.catalog_version} ${table.region}`),
          )
        }
      >
        Save as CSV
      </Button>
    </Group>
  );
  return (
    <Stack gap={8} mb={8} className="no-print">
      {narrow ? (
        <>
          <NameField name={search.name ?? ""} onName={(name) => onChange({ name }, "typed")} />
          <Disclosure summary="Filters, order and columns">
            {() => (
              <Stack gap={8} mt={8}>
                {settings}
                <Order columns={columns} sort={search.sort} onChange={onChange} />
                <Filters columns={columns} where={search.where} onFilter={onFilter} />
              </Stack>
            )}
          </Disclosure>
        </>
      ) : (
        settings
      )}
      <Wrong table={table} search={search} />
      <Group gap={8}>
        {search.series === "storage" && (
          <Removable label="Storage optimized" onRemove={() => onChange({ series: undefined })} />
        )}
        {search.generation === "current" && (
          <Removable label="Current generation" onRemove={() => onChange({ generation: undefined })} />
        )}
        {search.media !== undefined && (
          <Removable label={MEDIA_WORDS[search.media]} onRemove={() => onChange({ media: undefined })} />
        )}
        <Hidden table={table} search={search} columns={columns} onFilter={onFilter} />
        {isFiltered(search) && (
          <Button variant="subtle" size="compact-xs" onClick={() => onChange(NO_FILTERS)}>
            Clear filters
          </Button>
        )}
        {sortingIn(search.sort) !== undefined && (
          <Button variant="subtle" size="compact-xs" onClick={() => onChange({ sort: undefined })}>
            Order by family
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Order({ columns, sort, onChange }: Pick<ToolbarProps, "columns" | "onChange"> & { sort: string | undefined }) {
  return (
    <NativeSelect
      size="xs"
      label="Order"
      value={sort ?? ""}
      data={[
        { value: "", label: "By family" },
        ...columns.flatMap(({ name, title }) => [
          { value: `-${name}`, label: `${title}, most first` },
          { value: name, label: `${title}, least first` },
        ]),
      ]}
      onChange={(event) => onChange({ sort: event.currentTarget.value })}
    />
  );
}

/** Filter fields of the columns, for the layout without column headers. */
function Filters({
  columns,
  where,
  onFilter,
}: Pick<ToolbarProps, "columns" | "onFilter"> & { where: string | undefined }) {
  const filters = filtersIn(where);
  return (
    <div className={classes.filters}>
      {columns.map((column) => (
        <FilterField
          key={column.name}
          labelled
          column={column}
          filter={filters.get(column.name) ?? ""}
          onFilter={onFilter}
        />
      ))}
    </div>
  );
}

/** Errors of filters that cannot be parsed. */
function Wrong({ table, search }: Pick<ToolbarProps, "table" | "search">) {
  const filters = filtersIn(search.where);
  const wrong = columnsNamed(table, [...filters.keys()]).flatMap(({ name, title, unit, stated }) => {
    const read = filterFrom(filters.get(name) ?? "", unit, stated);
    return "error" in read ? [{ name, text: `${title}: ${read.error}.` }] : [];
  });
  return (
    <div role="alert" className={classes.wrong}>
      {wrong.map(({ name, text }) => (
        <p key={name}>{text}</p>
      ))}
    </div>
  );
}

/** Active filters of hidden columns, with buttons to remove them. */
function Hidden({ table, search, columns, onFilter }: Pick<ToolbarProps, "table" | "search" | "columns" | "onFilter">) {
  const filters = filtersIn(search.where);
  const shown = new Set(columns.map(({ name }) => name));
  const hidden = columnsNamed(table, [...filters.keys()]).filter(({ name }) => !shown.has(name));
  return hidden.map(({ name, title, unit, stated }) => (
    <Removable
      key={name}
      label={`${title} ${filterShown(filters.get(name) ?? "", unit, stated)}`}
      onRemove={() => onFilter(name, "")}
    />
  ));
}

/** Active filter as a chip that removes it. */
function Removable({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <Button variant="light" size="compact-sm" aria-label={`Remove the filter ${label}`} onClick={onRemove}>
      {label} ✕
    </Button>
  );
}

interface TraitsProps {
  table: InstanceTypeTable;
  traits: readonly string[];
  onChoose: (traits: string[]) => void;
}

function Traits({ table, traits, onChoose }: TraitsProps) {
  const known = allTraits(table);
  if (known.length === 0) return null;
  return (
    <Popover position="bottom-start" shadow="md" transitionProps={{ duration: 80 }}>
      <Popover.Target>
        <Button variant="default" size="xs" {...(traits.length > 0 ? { "data-set": true } : {})}>
          {traits.length === 0 ? "Traits" : `Traits: ${traits.join(", ")}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Traits">
        <fieldset className={`fieldset ${classes.group}`}>
          <legend>Types that have all of</legend>
          {known.map((trait) => (
            <Checkbox
              key={trait}
              size="xs"
              label={trait}
              checked={traits.includes(trait)}
              onChange={(event) =>
                onChoose(event.currentTarget.checked ? [...traits, trait] : traits.filter((other) => other !== trait))
              }
            />
          ))}
        </fieldset>
      </Popover.Dropdown>
    </Popover>
  );
}
