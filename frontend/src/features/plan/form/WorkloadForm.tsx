import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { catalogs, PURCHASES, versionOf } from "@/api/catalog/catalogs";
import type { CatalogSummary } from "@/api/generated";
import { QUOTAS, SELECTION } from "@/features/plan/limits/relax";
import { type Choice, isAsked, MEDIAN } from "@/features/plan/workload/choice";
import { DEFAULTS, type Field } from "@/features/plan/workload/fields";
import { useFrameworks } from "@/features/plan/workload/frameworks";
import { ANY, stays } from "@/features/plan/workload/jobs";
import { PURCHASE_WORDS } from "@/lib/purchases";
import { Disclosure } from "@/ui/Disclosure";
import type { Options } from "@/ui/forms/fields";
import { More } from "@/ui/forms/More";
import { Durability } from "./Durability";
import { type Asking, fieldsOf } from "./fields";
import { JobChoice, JobQuestions, MORE_OF_JOB, MoreOfJob } from "./JobQuestions";
import { deadlineSlider, SLIDERS } from "./sliders";
import classes from "./WorkloadForm.module.css";

const loadChoosing = () => import("./Choosing");
const TypesChoice = lazy(() => loadChoosing().then((module) => ({ default: module.TypesChoice })));
const QuotasChoice = lazy(() => loadChoosing().then((module) => ({ default: module.QuotasChoice })));

const OBJECTIVES: Options = [
  ["cost", "Cheapest run"],
  ["time", "Fastest run"],
  ["month", "Lowest monthly cost (24x7)"],
];
const CONFIDENCES: readonly string[] = [MEDIAN, "80 %", "90 %", "95 %", "99 %"];
const PURCHASE_OPTIONS: Options = [
  ...PURCHASES.map((purchase) => [purchase, PURCHASE_WORDS[purchase]] as const),
  [ANY, "Cheapest option"],
];
const SERVICES: Options = [
  ["ec2", "EC2"],
  ["emr", "EMR, with its fee"],
];
const USUAL: Options = [
  ["applied", "As is usual of the job"],
  ["ignored", "None: disks full, nodes of any size, data in place"],
];
const NETWORK: Options = [
  ["measured", "As measured"],
  ["baseline", "Baseline, for any cluster size"],
  ["unlimited", "Unlimited (best case)"],
];
const MODELLED = { modelled: "Modelled", ignored: "Ignored" };

const ASSUMPTIONS = {
  shuffle: ["Shuffle", { exact: "What leaves the node: (n − 1)/n", whole: "Everything" }],
  capacity: ["Disk capacity", { divided: "Divided by use", pooled: "Pooled: all disks hold anything" }],
  cpu: ["CPU", MODELLED],
  spread: ["Slow nodes", MODELLED],
  launch: [
    "Launch time",
    {
      "": "As usual",
      billed: "Billed, not part of the time",
      counted: "Billed, and part of the time",
      ignored: "Ignored",
    },
  ],
  billing: ["Billing", { "by-second": "By the second, 60 s at least", prorated: "Prorated" }],
} satisfies Partial<Record<Field, [label: string, options: Record<string, string>]>>;

/** Fields under "More", in their order. */
const MORE: readonly Field[] = [
  ...MORE_OF_JOB.map(({ field }) => field),
  ...(["freespace", "lostnodes", "rereplication", "usual", "kept", "credits", "purchase", "service"] as const),
  ...(["primary", "zones", "group", "network", "catalog"] as const),
  ...(Object.keys(ASSUMPTIONS) as Field[]),
  ...SELECTION,
  ...QUOTAS,
];

interface WorkloadFormProps extends Asking {
  /** Questions about the current cluster, beside those about the workload. */
  baseline?: ReactNode;
  more: boolean;
  onMore: (open: boolean) => void;
}

/** Check if a field under "More" differs from its default, and should be visible. */
export function hasMore(choice: Choice): boolean {
  return isOfMore(MORE, choice) || (choice.loss !== DEFAULTS.loss && isMore("loss", choice));
}

function isOfMore(fields: readonly Field[], choice: Choice): boolean {
  return fields.some((field) => choice[field] !== DEFAULTS[field]);
}

/** Check if a field is under "More". */
export function isMore(field: Field, { durability }: Choice): boolean {
  return MORE.includes(field) || (field === "loss" && durability !== ANY);
}

/** Workload form: the four questions that decide, the current cluster, then questions with defaults, the rest on demand. */
export function WorkloadForm({ baseline, more, onMore, ...asking }: WorkloadFormProps) {
  const known = (useQuery(catalogs).data ?? []).filter(({ searchable }) => searchable);
  const { choice } = asking;
  const { text, select, slider } = fieldsOf(asking);
  const frameworks = useFrameworks(choice);
  const asked = versionOf(known, choice.catalog);
  const version = asked?.version ?? "";
  const there = asked?.regions ?? [];
  const sold = there.map(({ name }) => name);
  const withoutVolumes = there.some(({ name, volume_types }) => name === choice.region && volume_types === 0);
  // The selected region stays an option even if the catalog lacks it; the API reports the problem.
  const regions = [...new Set([DEFAULTS.region, choice.region, ...sold])];
  return (
    <form aria-label="Workload" onSubmit={(event) => event.preventDefault()}>
      <div className={classes.questions}>
        <div className="questions">
          <JobChoice {...asking} />
          <div>
            {text("data", "Data", "e.g. 100 TB")}
            {slider(SLIDERS.data)}
          </div>
          <div className={classes.decisive}>
            {text("deadline", "Deadline", "e.g. 30 min")}
            <div className={classes.slid}>{slider(deadlineSlider(choice))}</div>
            {isAsked("chance", choice) && select("chance", "Confidence", confidences(choice))}
            {text("runs", "Runs per month", undefined, "decimal")}
          </div>
        </div>
        {baseline}
        <div className="questions">
          <JobQuestions {...asking} />
          {select("framework", "Framework", frameworks)}
          <Durability {...asking} withoutVolumes={withoutVolumes} />
          {select(
            "region",
            "Region",
            regions.map((region) => [region, region]),
            withoutVolumes ? "No EBS prices of this region are known until the catalog is refreshed." : undefined,
          )}
        </div>
        <fieldset className={`fieldset ${classes.limits}`}>
          <legend>Limits</legend>
          {select("objective", "Find", OBJECTIVES)}
          {text("budget", "Budget", "e.g. 500 USD")}
          <div className={classes.slid}>{slider(SLIDERS.budget)}</div>
          {text("nodes", "Nodes ≤", "e.g. 200", "numeric")}
        </fieldset>
        <div className={classes.rest}>
          {/* Rendered only when open: while dragging, the form renders many times a second. */}
          <More opened={more} onToggle={() => onMore(!more)}>
            {more && <MoreQuestions {...asking} known={known} version={version} />}
          </More>
        </div>
      </div>
    </form>
  );
}

interface MoreQuestionsProps extends Asking {
  known: readonly CatalogSummary[];
  version: string;
}

/** Return the confidences to choose from, with the default under an empty value; as in `model/usual.py`. */
function confidences({ chance, usual }: Choice): Options {
  const byDefault = usual === "ignored" ? MEDIAN : "95 %";
  const shares = CONFIDENCES.includes(chance) || chance === "" ? CONFIDENCES : [chance, ...CONFIDENCES];
  return shares.map((share) => {
    const words = share === MEDIAN ? "Median" : share.replace(" %", "%");
    return [share === byDefault && share !== chance ? "" : share, words];
  });
}

/** Fields that few users need. */
function MoreQuestions({ known, version, ...asking }: MoreQuestionsProps) {
  const { choice } = asking;
  const { text, select, check } = fieldsOf(asking);
  return (
    <div className={classes.questions} style={{ paddingTop: 8 }}>
      <MoreOfJob {...asking} />
      {isMore("loss", choice) && text("loss", "Chance of loss at most", "any")}
      {text("freespace", "Free space on disks and volumes", "as usual")}
      {text("lostnodes", "Node failures to survive", "as usual", "numeric")}
      {text("rereplication", "Re-replicate a failed node within", "as usual")}
      {select("usual", "Limits that are not given", USUAL)}
      {text("kept", "Exposure window", stays(choice) ? "a year" : "the job’s time")}
      {text("credits", "Burst credit at the start: full, empty or a share", "as usual")}
      {select("purchase", "Purchase option", PURCHASE_OPTIONS)}
      {select("service", "Service", SERVICES)}
      {isAsked("primary", choice) &&
        text("primary", "Head node type (NameNode, EMR primary)", "small, general purpose; or workers")}
      {text("zones", "Availability zones", "1", "numeric")}
      {check("group", "Placement group")}
      {select("network", "Network", NETWORK)}
      {select("catalog", "Catalog", [
        ["latest", "Latest"],
        ...known.map((catalog) => [catalog.version, catalog.version] as const),
      ])}
      <div className={classes.rest}>
        <Disclosure summary={summaryOf("Which types", SELECTION, choice)} initiallyOpen={isOfMore(SELECTION, choice)}>
          {() => (
            <Suspense fallback={<Skeleton height={200} />}>
              <TypesChoice {...asking} version={version} />
            </Suspense>
          )}
        </Disclosure>
        <Disclosure summary={summaryOf("Quotas", QUOTAS, choice)} initiallyOpen={isOfMore(QUOTAS, choice)}>
          {() => (
            <Suspense fallback={<Skeleton height={120} />}>
              <QuotasChoice {...asking} version={version} />
            </Suspense>
          )}
        </Disclosure>
      </div>
      <p className={`dim small ${classes.aside}`}>Advanced model assumptions:</p>
      {Object.entries(ASSUMPTIONS).map(([field, [label, options]]) =>
        select(field as Field, label, Object.entries(options)),
      )}
    </div>
  );
}

/** Build the summary of a collapsed section, with the number of changed fields. */
function summaryOf(name: string, fields: readonly Field[], choice: Choice): string {
  const chosen = fields.filter((field) => choice[field] !== DEFAULTS[field]).length;
  return chosen === 0 ? name : `${name} (${chosen} chosen)`;
}
