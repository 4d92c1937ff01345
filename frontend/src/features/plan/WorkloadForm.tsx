import { Button, Collapse } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { catalogues, PURCHASES, versionOf } from "@/api/catalogues";
import { PURCHASE_WORDS } from "@/lib/purchases";
import { type Choice, DEFAULTS, type Field } from "./choice";
import { Durability } from "./Durability";
import { type Asking, fieldsOf, type Options } from "./fields";
import { JobQuestions, MoreOfJob } from "./JobQuestions";
import { stays } from "./jobs";
import classes from "./WorkloadForm.module.css";

const MORE: readonly Field[] = [
  "skew",
  "partitions",
  "block",
  "local",
  "snapshot",
  "runs",
  "kept",
  "framework",
  "credits",
  "purchase",
  "service",
  "zones",
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

const FRAMEWORKS: Options = [
  ["ideal", "All of it"],
  ["hadoop-dfsio", "As much as Hadoop’s DFSIO"],
  ["unknown", "Not known: a part, and a wide range"],
];
const PURCHASE_OPTIONS: Options = PURCHASES.map((purchase) => [purchase, PURCHASE_WORDS[purchase]]);
const SERVICES: Options = [
  ["ec2", "EC2"],
  ["emr", "EMR, with its fee"],
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

interface WorkloadFormProps extends Asking {
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
export function WorkloadForm({ more, onMore, ...asking }: WorkloadFormProps) {
  const known = (useQuery(catalogues).data ?? []).filter(({ searchable }) => searchable);
  const moreId = useId();
  const { text, select, check } = fieldsOf(asking);
  const there = versionOf(known, asking.choice.catalogue)?.regions ?? [];
  const sold = there.map(({ name }) => name);
  const withoutVolumes = there.some(({ name, volume_types }) => name === asking.choice.region && volume_types === 0);
  // What was chosen stays to be seen, also where the catalogue does not know it: the service says so.
  const regions = [...new Set([DEFAULTS.region, asking.choice.region, ...sold])];
  return (
    <form aria-label="Workload" onSubmit={(event) => event.preventDefault()}>
      <div className={classes.questions}>
        <div className={classes.group}>
          {text("data", "Data", "100 TB")}
          <JobQuestions {...asking} />
        </div>
        <div className={classes.group}>
          <Durability {...asking} withoutVolumes={withoutVolumes} />
          {select(
            "region",
            "Region",
            regions.map((region) => [region, region]),
            withoutVolumes ? "No EBS prices of this region are known until the catalogue is refreshed." : undefined,
          )}
        </div>
        <fieldset className={classes.limits}>
          <legend>Limits</legend>
          {text("deadline", "Deadline", "30 min")}
          {text("budget", "Budget", "500 USD")}
          {text("nodes", "Nodes ≤", "200", "numeric")}
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
              <MoreOfJob {...asking} />
              {text("runs", "Runs per month", undefined, "decimal")}
              {text("kept", "Exposed to loss for", stays(asking.choice) ? "a year" : "the job’s time")}
              {select("framework", "How much of the bound the framework reaches", FRAMEWORKS)}
              {text("credits", "Burst credit at the start: full, empty or a share", "full")}
              {select("purchase", "Instances are paid", PURCHASE_OPTIONS)}
              {select("service", "Service", SERVICES)}
              {text("zones", "Availability zones", "1", "numeric")}
              {check("group", "Placement group")}
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
