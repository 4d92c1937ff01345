import { NativeSelect, Popover, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMatches, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { catalogs, versionOf } from "@/api/catalog/catalogs";
import { sweep as sweepQuery } from "@/api/planning/sweeps";
import { savedPlan } from "@/api/queries";
import { viewFrom } from "@/features/plan/address/view";
import { viewMoved } from "@/features/plan/pins/pins";
import { type Choice, choiceFrom, choiceFromDocument, searchFrom, searchOf } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { frameworkOf, useFrameworks } from "@/features/plan/workload/frameworks";
import { day, listed } from "@/lib/wording";
import { GlobeIcon } from "@/ui/Icons";
import classes from "./ContextChip.module.css";

/** One of region, catalog and framework, as it applies to a page. */
interface Part {
  label: "Region" | "Catalog" | "Framework";
  /** Text in the chip. */
  shown: string;
  /** Selected value and alternatives, if the page lets one choose. */
  choice?: {
    value: string;
    options: readonly (readonly [value: string, label: string])[];
    onChange: (value: string) => void;
  };
}

/** Render region, catalog and framework of the page, with a panel that changes them; nothing where none applies. */
export function ContextChip() {
  const page = useMatches({ select: (matches) => matches.at(-1)?.routeId ?? "" });
  switch (page) {
    case "/plans/new":
    case "/plans/scenarios/new":
      return <Asked mayChange />;
    case "/plans/outlook":
      return <Asked mayChange={false} />;
    case "/plans/$planId":
      return <OfPlan />;
    case "/plans/scenarios/$sweepId":
      return <OfSweep />;
    case "/catalog/instances":
      return <OfCatalog catalogKey="version" />;
    case "/catalog/regions":
      return <OfCatalog catalogKey="version" ofRegion={false} />;
    case "/catalog/volumes":
      return <OfCatalog catalogKey="catalog" />;
    default:
      return null;
  }
}

/** Return the function that changes search parameters of the current page, as a new history entry. */
function useChange(): (change: (before: Record<string, unknown>) => object) => void {
  const navigate = useNavigate();
  return (change) => void navigate({ to: ".", search: change as never, resetScroll: false });
}

/** Chip of a question in the URL. */
function Asked({ mayChange }: { mayChange: boolean }) {
  const search = useSearch({ strict: false });
  const choice = choiceFrom(searchFrom({ ...search }));
  const known = (useQuery(catalogs).data ?? []).filter(({ searchable }) => searchable);
  const frameworks = useFrameworks(choice);
  const change = useChange();
  const catalog = versionOf(known, choice.catalog);
  const sold = catalog?.regions.map(({ name }) => name) ?? [];
  const put = (changes: Partial<Choice>) =>
    change((before) => {
      const next = { ...choice, ...changes };
      // Pins and the current cluster stay the same while the question changes.
      return { ...before, ...cleared(choice), ...searchOf(next), ...viewMoved(viewFrom(before), choice, next) };
    });
  const choices = (parts: Required<Part>[]): Part[] =>
    mayChange ? parts : parts.map(({ label, shown }) => ({ label, shown }));
  return (
    <Chip
      parts={choices([
        {
          label: "Region",
          shown: choice.region,
          choice: {
            value: choice.region,
            options: [...new Set([DEFAULTS.region, choice.region, ...sold])].map((name) => [name, name]),
            onChange: (region) => put({ region }),
          },
        },
        {
          label: "Catalog",
          shown: catalog?.version ?? choice.catalog,
          choice: {
            value: choice.catalog,
            options: [["latest", "Latest"], ...known.map(({ version, as_of }) => versionOption(version, as_of))],
            onChange: (version) => put({ catalog: version }),
          },
        },
        {
          label: "Framework",
          shown: frameworkOf(choice),
          choice: { value: choice.framework, options: frameworks, onChange: (framework) => put({ framework }) },
        },
      ])}
    >
      {mayChange ? null : "They come from the plan."}
    </Chip>
  );
}

/** Return all fields of a choice as missing parameters, so that those with a default vanish from the URL. */
function cleared(choice: Choice): Partial<Record<keyof Choice, undefined>> {
  return Object.fromEntries(Object.keys(choice).map((field) => [field, undefined]));
}

function versionOption(version: string, as_of: string): readonly [string, string] {
  return [version, `${version}, ${day(as_of)}`];
}

interface OfCatalogProps {
  /** Search parameter of the catalog version. */
  catalogKey: "version" | "catalog";
  /** False if the page shows all regions. */
  ofRegion?: boolean;
}

/** Chip of a page that shows a catalog. */
function OfCatalog({ catalogKey, ofRegion = true }: OfCatalogProps) {
  const search = useSearch({ strict: false });
  const known = useQuery(catalogs).data ?? [];
  const change = useChange();
  const asked = search[catalogKey];
  const catalog = versionOf(known, asked ?? "latest") ?? known[0];
  if (catalog === undefined) return null;
  const region = catalog.regions.find(({ name }) => name === (search.region ?? DEFAULTS.region)) ?? catalog.regions[0];
  const put = (changes: Record<string, string>) => change((before) => ({ ...before, type: undefined, ...changes }));
  const parts: Part[] = [
    {
      label: "Region",
      shown: region?.name ?? "",
      choice: {
        value: region?.name ?? "",
        options: catalog.regions.map(({ name }) => [name, name]),
        onChange: (name) => put({ region: name }),
      },
    },
    {
      label: "Catalog",
      shown: catalog.version,
      choice: {
        value: catalog.version,
        options: known.map(({ version, as_of }) => versionOption(version, as_of)),
        onChange: (version) => put({ [catalogKey]: version }),
      },
    },
  ];
  return <Chip parts={ofRegion ? parts : parts.slice(1)} />;
}

/** Chip of a saved plan: what it was answered with. */
function OfPlan() {
  const { planId = "" } = useParams({ strict: false });
  const answer = useQuery(savedPlan(planId)).data?.answer;
  if (answer === undefined) return null;
  const { choice } = choiceFromDocument(answer.workload);
  return <Chip parts={partsOf(choice, answer.catalog_version)}>Saved with the plan. A new plan can change them.</Chip>;
}

/** Chip of a sweep: what all its cells share. */
function OfSweep() {
  const { sweepId = "" } = useParams({ strict: false });
  const sweep = useQuery(sweepQuery(sweepId)).data;
  if (sweep === undefined) return null;
  const { choice } = choiceFromDocument(sweep.base);
  const varied: string[] = [sweep.columns.quantity, sweep.rows.quantity];
  const parts = partsOf(choice, sweep.catalog_version).filter(({ label }) => !varied.includes(label.toLowerCase()));
  return <Chip parts={parts}>Saved with the sweep.</Chip>;
}

function partsOf(choice: Choice, version: string): Part[] {
  return [
    { label: "Region", shown: choice.region },
    { label: "Catalog", shown: version },
    { label: "Framework", shown: frameworkOf(choice) },
  ];
}

/** Render the button in the bar and its panel. */
function Chip({ parts, children }: { parts: readonly Part[]; children?: ReactNode }) {
  const [open, setOpen] = useState(false);
  const names = namesOf(parts);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      width={280}
      withinPortal={false}
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <UnstyledButton
          className={classes.chip}
          aria-label={`${names}: ${parts.map(({ shown }) => shown).join(", ")}`}
          onClick={() => setOpen(!open)}
        >
          <GlobeIcon />
          <span className={classes.words}>{parts.map(({ shown }) => shown).join(" · ")}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.panel}>
        {parts.map(({ label, shown, choice }) =>
          choice === undefined ? (
            <p key={label}>
              <span className="dim">{label}</span> <strong>{shown}</strong>
            </p>
          ) : (
            <NativeSelect
              key={label}
              size="xs"
              label={label}
              value={choice.value}
              data={choice.options.map(([value, words]) => ({ value, label: words }))}
              onChange={(event) => choice.onChange(event.currentTarget.value)}
            />
          ),
        )}
        {children !== undefined && children !== null && <p className="dim small">{children}</p>}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Return what a chip shows: `Region, catalog and framework`. */
function namesOf(parts: readonly Part[]): string {
  return listed(parts.map(({ label }, index) => (index === 0 ? label : label.toLowerCase())));
}
