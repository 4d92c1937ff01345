import { Button, Checkbox, Collapse, NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { catalogues } from "@/api/queries";
import { type Choice, DEFAULTS, type Field, type Remarks } from "./choice";
import classes from "./WorkloadForm.module.css";

const MORE: readonly Field[] = [
  "runs",
  "group",
  "network",
  "catalogue",
  "shuffle",
  "capacity",
  "cpu",
  "spread",
  "launch",
  "billing",
];

type Options = readonly (readonly [value: string, label: string])[];

const JOBS: Options = [
  ["sort", "Sort"],
  ["mapreduce", "MapReduce"],
];
const NETWORK: Options = [
  ["measured", "As measured"],
  ["baseline", "Baseline, whatever the cluster's size"],
  ["unlimited", "Unlimited (a bound, not a prediction)"],
];
const ASSUMPTIONS: readonly [Field, string, Options][] = [
  [
    "shuffle",
    "Shuffle",
    [
      ["exact", "What leaves the node: (n − 1)/n"],
      ["whole", "Everything"],
    ],
  ],
  [
    "capacity",
    "Disk capacity",
    [
      ["divided", "Divided by use"],
      ["pooled", "Pooled: all disks hold anything"],
    ],
  ],
  [
    "cpu",
    "CPU",
    [
      ["modelled", "Modelled"],
      ["ignored", "Ignored"],
    ],
  ],
  [
    "spread",
    "Slow nodes",
    [
      ["modelled", "Modelled"],
      ["ignored", "Ignored"],
    ],
  ],
  [
    "launch",
    "Launch time",
    [
      ["billed", "Billed"],
      ["ignored", "Ignored"],
    ],
  ],
  [
    "billing",
    "Billing",
    [
      ["by-second", "By the second, 60 s at least"],
      ["prorated", "Prorated"],
    ],
  ],
];

interface WorkloadFormProps {
  choice: Choice;
  remarks: Remarks;
  onChange: (changes: Partial<Record<Field, string>>) => void;
  more: boolean;
  onMore: (open: boolean) => void;
}

/** Whether something behind "More" was chosen, and should therefore be seen. */
export function hasMore(choice: Choice): boolean {
  return MORE.some((field) => choice[field] !== DEFAULTS[field]);
}

/** Whether a field stands behind "More". */
export function isMore(field: Field): boolean {
  return MORE.includes(field);
}

/** The questions: four first, the rest on demand. */
export function WorkloadForm({ choice, remarks, onChange, more, onMore }: WorkloadFormProps) {
  const known = useQuery(catalogues).data ?? [];
  const moreId = useId();
  const text = (field: Field, label: string, placeholder?: string) => ({
    label,
    value: choice[field],
    error: remarks.fields[field],
    placeholder,
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [field]: event.currentTarget.value }),
    autoComplete: "off",
    spellCheck: false,
  });
  const select = (field: Field, label: string, options: Options) => (
    <NativeSelect
      key={field}
      label={label}
      value={choice[field]}
      error={remarks.fields[field]}
      data={offered(options, choice[field])}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
    />
  );
  const regions = [...new Set([DEFAULTS.region, ...known.map((catalogue) => catalogue.region)])];
  return (
    <form className={classes.form} aria-label="Workload" onSubmit={(event) => event.preventDefault()}>
      <div className={classes.questions}>
        <div className={classes.group}>
          <TextInput {...text("data", "Data", "100 TB")} />
          <NativeSelect
            label="Job"
            value={choice.job}
            error={remarks.fields.job}
            data={offered(JOBS, choice.job)}
            onChange={(event) => {
              // A sort writes what it reads: selectivities that were chosen before no longer apply.
              onChange({ job: event.currentTarget.value, map: DEFAULTS.map, reduce: DEFAULTS.reduce });
            }}
          />
          {choice.job === "mapreduce" && (
            <div className={classes.pair}>
              <TextInput {...text("map", "Map output per input")} inputMode="decimal" />
              <TextInput {...text("reduce", "Output per map output")} inputMode="decimal" />
            </div>
          )}
        </div>
        <div className={classes.group}>
          <Durability choice={choice} remarks={remarks} onChange={onChange} />
          {select(
            "region",
            "Region",
            regions.map((region) => [region, region]),
          )}
        </div>
        <fieldset className={classes.limits}>
          <legend>Limits</legend>
          <TextInput {...text("deadline", "Deadline", "30 min")} />
          <TextInput {...text("budget", "Budget", "500 USD")} />
          <TextInput {...text("nodes", "Nodes ≤", "200")} inputMode="numeric" />
        </fieldset>
        <div className={classes.rest}>
          <Button
            variant="subtle"
            size="compact-sm"
            className={classes.more}
            aria-expanded={more}
            aria-controls={moreId}
            onClick={() => onMore(!more)}
          >
            {more ? "Less" : "More"}
          </Button>
          <Collapse expanded={more} id={moreId}>
            <div className={`${classes.questions} ${classes.moreQuestions}`}>
              <TextInput {...text("runs", "Runs per month")} inputMode="decimal" />
              <Checkbox
                label="Placement group"
                checked={choice.group !== "no"}
                error={remarks.fields.group}
                onChange={(event) => onChange({ group: event.currentTarget.checked ? "yes" : "no" })}
              />
              {select("network", "Network", NETWORK)}
              {select("catalogue", "Catalogue", [
                ["latest", "Latest"],
                ...known.map((catalogue) => [catalogue.version, catalogue.version] as const),
              ])}
              <p className={classes.aside}>For reproducing others’ arithmetic:</p>
              {ASSUMPTIONS.map(([field, label, options]) => select(field, label, options))}
            </div>
          </Collapse>
        </div>
      </div>
    </form>
  );
}

interface DurabilityProps {
  choice: Choice;
  remarks: Remarks;
  onChange: WorkloadFormProps["onChange"];
}

function Durability({ choice, remarks, onChange }: DurabilityProps): ReactNode {
  return (
    <Radio.Group
      label="Durability"
      value={choice.durability}
      error={remarks.fields.durability}
      onChange={(durability) => onChange({ durability })}
    >
      <Stack gap={6} mt={4}>
        <Radio value="none" label="None: one copy, on the instances’ disks" />
        <Radio value="application" label="Copies kept by the application" />
        {choice.durability === "application" && (
          <TextInput
            className={classes.replicas}
            label="Copies in all"
            inputMode="numeric"
            value={choice.replicas}
            error={remarks.fields.replicas}
            onChange={(event) => onChange({ replicas: event.currentTarget.value })}
            autoComplete="off"
          />
        )}
        <Radio value="infrastructure" label="EBS volumes, kept by AWS" />
      </Stack>
    </Radio.Group>
  );
}

/** The options to choose from; what an address holds beyond them stays to be seen. */
function offered(options: Options, chosen: string): { value: string; label: string }[] {
  const offers = options.map(([value, label]) => ({ value, label }));
  return offers.some((offer) => offer.value === chosen) ? offers : [...offers, { value: chosen, label: chosen }];
}
