import { Button, CloseButton, MultiSelect, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { regionNames } from "@/api/catalog/catalogs";
import type { Choice } from "@/features/plan/workload/choice";
import { type Entry, entriesIn, entriesText, namesIn, namesText } from "@/features/plan/workload/entries";
import type { Field } from "@/features/plan/workload/fields";
import type { Options } from "@/ui/forms/fields";
import { type Column, Table } from "@/ui/table/Table";
import classes from "./Choosing.module.css";
import { type Asking, fieldsOf } from "./fields";

const ARCHITECTURES: Options = [
  ["", "x86 and Arm"],
  ["x86_64", "x86 only"],
  ["arm64", "Arm only"],
];
const GENERATIONS: Options = [
  ["any", "Any, also previous ones"],
  ["current", "Current ones only"],
];
/** Maximum number of options shown; search finds the others. */
const MOST_OFFERED = 60;

interface ChoosingProps extends Asking {
  /** Catalog version to query; empty while unknown. */
  version: string;
}

/** Names of everything sold in the region of the cluster. */
interface Sold {
  families: string[];
  sizes: string[];
  types: string[];
  volumes: string[];
}

function useSold({ region }: Choice, version: string): Sold {
  const known = useQuery(regionNames(version, region)).data;
  return useMemo(() => {
    const types = known?.instance_types ?? [];
    const sorted = (names: string[]) => [...new Set(names)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    return {
      families: sorted(types.map((name) => name.split(".")[0] ?? name)),
      sizes: sorted(types.map((name) => name.split(".")[1] ?? name)),
      types: sorted(types),
      volumes: known?.volume_types ?? [],
    };
  }, [known]);
}

const TOPICS: readonly (readonly [name: keyof Sold, title: string, only: Field, not: Field])[] = [
  ["families", "families", "families", "notfamilies"],
  ["sizes", "sizes", "sizes", "notsizes"],
  ["types", "types", "types", "nottypes"],
  ["volumes", "EBS volume types", "volumes", "notvolumes"],
];

/** Fields to include or exclude instance and volume types. */
export function TypesChoice({ version, ...asking }: ChoosingProps) {
  const { choice, remarks, onChange } = asking;
  const sold = useSold(choice, version);
  const { select, check, text } = fieldsOf(asking);
  return (
    <Stack gap="xs" pb="xs">
      {text("minvcpus", "vCPUs per node, at least", "any", "numeric")}
      {text("minmemory", "Memory per node, at least", "any")}
      {TOPICS.map(([name, title, only, not]) => (
        <fieldset key={name} className={`fieldset ${classes.topic}`}>
          <legend>{title.charAt(0).toUpperCase() + title.slice(1)}</legend>
          {(
            [
              [only, "only"],
              [not, "not"],
            ] as const
          ).map(([field, word]) => (
            <MultiSelect
              key={field}
              size="xs"
              label={word}
              aria-label={`${word} these ${title}`}
              data={sold[name]}
              value={namesIn(choice[field])}
              error={remarks.fields[field]}
              placeholder={namesIn(choice[field]).length > 0 ? "" : word === "only" ? "any" : "none left out"}
              onChange={(names) => onChange({ [field]: namesText(names) }, "same entry")}
              searchable
              hidePickedOptions
              limit={MOST_OFFERED}
              nothingFoundMessage="None of this name"
              comboboxProps={{ transitionProps: { duration: 80 } }}
            />
          ))}
        </fieldset>
      ))}
      {select("architectures", "Architecture", ARCHITECTURES)}
      {select("generation", "Generation", GENERATIONS)}
      {check("measured", "Only what was measured")}
    </Stack>
  );
}

/** Fields for the quotas of the account. */
export function QuotasChoice({ version, ...asking }: ChoosingProps) {
  const sold = useSold(asking.choice, version);
  const { text } = fieldsOf(asking);
  return (
    <Stack gap="xs" pb="xs">
      {text("vcpus", "vCPUs in all", "no quota", "numeric")}
      {text("perzone", "Nodes of a type in a zone", "no ceiling", "numeric")}
      {text("percluster", "Nodes of a cluster", "as the service takes", "numeric")}
      <Entries
        {...asking}
        field="ceilings"
        title="Most nodes of a type"
        named="Type"
        limits={[["Nodes", "e.g. 20"]]}
        names={sold.types}
      />
      <Entries
        {...asking}
        field="volumequotas"
        title="EBS volumes of a type, all together"
        named="Volume type"
        limits={[
          ["Size", "e.g. 50 TiB"],
          ["IOPS", "e.g. 100000"],
        ]}
        names={sold.volumes}
      />
    </Stack>
  );
}

interface EntriesProps extends Asking {
  field: "ceilings" | "volumequotas";
  title: string;
  named: string;
  limits: readonly (readonly [head: string, placeholder: string])[];
  names: readonly string[];
}

/** Limits by name: one row per limited name, and a field to add another. */
function Entries({ field, title, named, limits, names, choice, remarks, onChange }: EntriesProps) {
  const list = useId();
  const [adding, setAdding] = useState("");
  const entries = entriesIn(choice[field], limits.length);
  const write = (next: readonly Entry[]) => onChange({ [field]: entriesText(next) });
  const error = remarks.fields[field];
  if (entries === undefined) {
    // Invalid text from the URL stays visible, so that it can be corrected.
    return (
      <TextInput
        label={title}
        value={choice[field]}
        error={error ?? "cannot be read; empty it to start again"}
        onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      />
    );
  }
  const name = adding.trim().toLowerCase();
  const isNew = name !== "" && !entries.some((entry) => entry.name === name);
  const add = () => {
    if (!isNew) return;
    write([...entries, { name, limits: limits.map(() => "") }]);
    setAdding("");
  };
  return (
    <fieldset className={`fieldset ${classes.topic}`}>
      <legend>{title}</legend>
      {entries.length > 0 && (
        <Table
          className={classes.entries}
          rows={entries}
          keyOf={(entry) => entry.name}
          columns={[
            { head: "Type", rowHead: true, cell: (entry) => entry.name },
            ...limits.map(
              ([head, placeholder], place): Column<Entry> => ({
                head,
                cell: (entry) => (
                  <TextInput
                    size="xs"
                    aria-label={`${head} of ${entry.name}`}
                    placeholder={placeholder}
                    value={entry.limits[place] ?? ""}
                    onChange={(event) => {
                      const changed = entry.limits.with(place, event.currentTarget.value);
                      write(entries.map((one) => (one === entry ? { ...entry, limits: changed } : one)));
                    }}
                    autoComplete="off"
                  />
                ),
              }),
            ),
            {
              head: <span className="spoken">Take away</span>,
              cell: (entry) => (
                <CloseButton
                  size="sm"
                  aria-label={`No quota of ${entry.name}`}
                  onClick={() => write(entries.filter((one) => one !== entry))}
                />
              ),
            },
          ]}
        />
      )}
      {error !== undefined && <p className="bad small line">{error}</p>}
      <div className={classes.adding}>
        <TextInput
          size="xs"
          aria-label={`${named} to limit`}
          list={list}
          placeholder={named}
          value={adding}
          onChange={(event) => setAdding(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && add()}
          autoComplete="off"
          spellCheck={false}
        />
        <datalist id={list}>
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Button variant="default" size="xs" disabled={!isNew} onClick={add}>
          Add
        </Button>
      </div>
    </fieldset>
  );
}
