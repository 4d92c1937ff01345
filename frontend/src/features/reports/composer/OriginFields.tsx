import { MultiSelect, NativeSelect, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isUnderway, sweep, sweepList } from "@/api/planning/sweeps";
import { savedPlan, savedPlans } from "@/api/queries";
import type { ReportKind } from "@/api/reports";
import { hasEnded, run, runList } from "@/api/runs/runs";
import { idsIn, type NewReportSearch } from "@/features/reports/search";
import { KIND_WORDS } from "@/features/reports/words";
import { shown } from "@/lib/plainText";
import { day } from "@/lib/wording";

type Change = (change: Partial<Record<keyof NewReportSearch, string | undefined>>) => void;

interface OriginFieldsProps {
  kind: ReportKind;
  search: NewReportSearch;
  onKind: (kind: ReportKind) => void;
  onChange: Change;
}

const KINDS: readonly ReportKind[] = ["plan", "comparison", "sweep", "run", "validation"];
/** Delay after the last keystroke before a search is sent [ms]. */
const REST_MS = 200;
const MOST_PLANS = 5;

/** Object of the report. */
export function OriginFields({ kind, search, onKind, onChange }: OriginFieldsProps) {
  return (
    <>
      <NativeSelect
        label="A report of"
        value={kind}
        data={KINDS.map((value) => ({ value, label: KIND_WORDS[value] }))}
        onChange={(event) => onKind(event.currentTarget.value as ReportKind)}
      />
      {kind === "plan" && <PlanField id={search.plan} onChange={onChange} />}
      {kind === "comparison" && <PlansField ids={idsIn(search.plans)} onChange={onChange} />}
      {kind === "sweep" && <SweepField id={search.sweep} onChange={onChange} />}
      {kind === "run" && <RunField id={search.run} onChange={onChange} />}
    </>
  );
}

interface Choice {
  value: string;
  label: string;
  disabled?: boolean;
}

function choiceOf(row: Row): Choice {
  return { value: row.id, label: labelled(row) };
}

function labelled({ name, created_at }: Omit<Row, "id">): string {
  return `${shown(name)}, ${day(created_at)}`;
}

/** Options of the list, plus the chosen one if it is not in the list. */
function withChosen(choices: readonly Choice[], chosen: Choice | undefined): Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen.value)) return [...choices];
  return [chosen, ...choices];
}

const LISTED = { searchable: true, comboboxProps: { transitionProps: { duration: 80 } }, maxDropdownHeight: 280 };

/** Saved plans that match the typed text. */
function usePlanChoices() {
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim().slice(0, 200), REST_MS);
  const found = useInfiniteQuery(savedPlans(asked)).data?.pages.flatMap((page) => page.plans) ?? [];
  return {
    choices: found.map(choiceOf),
    onSearch: setText,
    // The service has already searched, in more fields than the name.
    filter: ({ options }: { options: unknown[] }) => options as never,
  };
}

function PlanField({ id, onChange }: { id: string | undefined; onChange: Change }) {
  const { choices, onSearch, filter } = usePlanChoices();
  const { data: chosen } = useQuery({ ...savedPlan(id ?? ""), enabled: id !== undefined });
  return (
    <Select
      {...LISTED}
      label="Saved plan"
      placeholder="Search your plans"
      nothingFoundMessage="No saved plan of this name"
      data={withChosen(choices, chosen && choiceOf(chosen))}
      filter={filter}
      value={id ?? null}
      onSearchChange={(text) => onSearch(chosen !== undefined && text === labelled(chosen) ? "" : text)}
      onChange={(value) => onChange({ plan: value ?? undefined, ranks: undefined })}
      allowDeselect={false}
    />
  );
}

function PlansField({ ids, onChange }: { ids: readonly string[]; onChange: Change }) {
  const { choices, onSearch, filter } = usePlanChoices();
  const [seen, setSeen] = useState<readonly Choice[]>([]);
  const known = new Map([...seen, ...choices].map((choice) => [choice.value, choice]));
  // Plans outside the list are requested separately.
  const found = useQueries({
    queries: ids.map((id) => ({ ...savedPlan(id), enabled: !known.has(id) })),
  }).map(({ data }) => data && choiceOf(data));
  const chosen = ids.flatMap((id, place) => known.get(id) ?? found[place] ?? []);
  return (
    <MultiSelect
      {...LISTED}
      label="Saved plans"
      description={`Two to ${MOST_PLANS}; the winner of each stands beside the others.`}
      placeholder={ids.length === 0 ? "Search your plans" : ""}
      nothingFoundMessage="No saved plan of this name"
      data={[...chosen, ...choices.filter(({ value }) => !ids.includes(value))]}
      filter={filter}
      hidePickedOptions
      maxValues={MOST_PLANS}
      value={[...ids]}
      onSearchChange={onSearch}
      onChange={(values) => {
        setSeen([...known.values()].filter(({ value }) => values.includes(value)));
        onChange({ plans: values.length === 0 ? undefined : values.join(",") });
      }}
    />
  );
}

function SweepField({ id, onChange }: { id: string | undefined; onChange: Change }) {
  const list = useInfiniteQuery(sweepList()).data?.pages.flatMap((page) => page.sweeps) ?? [];
  const { data: chosen } = useQuery({ ...sweep(id ?? ""), enabled: id !== undefined });
  return (
    <ObjectField
      label="Sweep"
      list={list}
      chosen={chosen}
      unready={({ job }) => (isUnderway(job) ? "not computed yet" : undefined)}
      id={id}
      onChange={(value) => onChange({ sweep: value })}
    />
  );
}

function RunField({ id, onChange }: { id: string | undefined; onChange: Change }) {
  const list = useInfiniteQuery(runList("")).data?.pages.flatMap((page) => page.runs) ?? [];
  const { data: chosen } = useQuery({ ...run(id ?? ""), enabled: id !== undefined });
  return (
    <ObjectField
      label="Run"
      list={list}
      chosen={chosen}
      unready={(one) => (hasEnded(one) ? undefined : "not over yet")}
      id={id}
      onChange={(value) => onChange({ run: value })}
    />
  );
}

interface Row {
  id: string;
  name: string;
  created_at: string;
}

interface ObjectFieldProps<One extends Row> {
  label: string;
  list: readonly One[];
  chosen: Row | undefined;
  /** Returns why a row cannot be chosen yet. */
  unready: (one: One) => string | undefined;
  id: string | undefined;
  onChange: (id: string | undefined) => void;
}

function ObjectField<One extends Row>({ label, list, chosen, unready, id, onChange }: ObjectFieldProps<One>) {
  const noun = label.toLowerCase();
  const choices = list.map((one) => {
    const why = unready(one);
    return {
      value: one.id,
      label: why === undefined ? labelled(one) : `${labelled(one)} (${why})`,
      disabled: why !== undefined,
    };
  });
  return (
    <Select
      {...LISTED}
      label={label}
      placeholder={`Choose a ${noun}`}
      nothingFoundMessage={`No ${noun} of this name`}
      data={withChosen(choices, chosen && choiceOf(chosen))}
      value={id ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      allowDeselect={false}
    />
  );
}
