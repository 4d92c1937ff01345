import { Button, NativeSelect, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { catalogs, regionNames, versionOf } from "@/api/catalog/catalogs";
import type { PlanAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import type { WorkloadDocument } from "@/api/queries";
import { pinFrom } from "@/features/plan/address/pinText";
import { ranErrors, ranFrom, ranKeptAs, ranText } from "@/features/plan/address/ran";
import { infeasibleWords } from "@/features/plan/configurations/ahead";
import { amountsWords } from "@/features/plan/configurations/money";
import { atRuns, runsPerMonth } from "@/features/plan/configurations/saving";
import { type Named, useConfigurations } from "@/features/plan/configurations/useConfigurations";
import { resolved, todayText } from "@/features/plan/pins/pins";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { choiceFromDocument } from "@/features/plan/workload/choice";
import { ANY, durabilitiesOf, isHdfs } from "@/features/plan/workload/jobs";
import { regionIn } from "@/features/plan/workload/place";
import { usdIn } from "@/lib/amounts";
import { duration, percent, threeDigits, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { DESCRIPTION_FIRST, fieldsOf } from "@/ui/forms/fields";
import { NodesFields, StorageFields } from "./ClusterFields";
import clusterClasses from "./ClusterFields.module.css";
import { PaidField } from "./PaidField";
import classes from "./TodayForm.module.css";
import { useTodayFields } from "./TodaySection";
import { hasOwnDisks, type TodayField, todayRemarks } from "./today";

interface TodayFormProps {
  /** The current cluster, as in the URL. */
  today: string | undefined;
  /** The question to predict it for; undefined while there is no answer. */
  asked: { answer: PlanAnswer; document: WorkloadDocument } | undefined;
  onToday: (key: string | undefined) => void;
  /** Measured run, as text of the form's choice. */
  ran: string;
  onRan: (text: string) => void;
  /** Error that the API reported for the measured run. */
  ranError: string | undefined;
  /** Data size in the form, the default for a measured run. */
  data: string;
  /** Monthly cost as stated by the user; "" if it is computed. */
  paid: string;
  onPaid: (text: string) => void;
}

/** Questions about the current cluster, with which the answer and all configurations are compared. */
export function TodayForm(props: TodayFormProps) {
  const { today, onToday, ran, onRan, paid, onPaid } = props;
  const [cleared, setCleared] = useState(0);
  return (
    <fieldset className={`fieldset ${classes.baseline}`} aria-label="What do you run today?">
      <legend>What do you run today?</legend>
      <Fields key={cleared} {...props} />
      {(today !== undefined || paid !== "") && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.toggle}
          onClick={() => {
            setCleared(cleared + 1);
            onToday(undefined);
            onPaid("");
            if (ran !== "") onRan("");
          }}
        >
          Remove baseline
        </Button>
      )}
    </fieldset>
  );
}

function Fields({ today, asked, onToday, ran, onRan, ranError, data, paid, onPaid }: TodayFormProps) {
  const { fields, key, errors, change: changeFields } = useTodayFields(today);
  const [run, setRun] = useState(() => ranFrom(ran) ?? NO_RUN);
  const [seenRan, setSeenRan] = useState(ran);
  if (ran !== seenRan) {
    setSeenRan(ran);
    // Changed by other means, as above.
    if (ran !== writtenRan(key, run, today)) setRun(ranFrom(ran) ?? NO_RUN);
  }
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest")?.version;
  const version = asked?.answer.catalog_version ?? newest ?? "";
  const types = useQuery(regionNames(version, regionIn(asked?.document))).data?.instance_types ?? [];
  const change = (field: TodayField, text: string) => {
    const next = changeFields(field, text);
    onToday(next.today);
    if (ran !== "" || run.time !== "") onRan(writtenRan(next.cluster, run, next.today));
  };
  const changeRun = (changes: Partial<typeof NO_RUN>) => {
    const begins = run.time.trim() === "" && run.data.trim() === "";
    const next = { ...run, ...(begins ? { data } : {}), ...changes };
    setRun(next);
    onRan(writtenRan(key, next, today));
  };
  const { text } = fieldsOf<keyof typeof NO_RUN>({
    values: run,
    errors: runErrors(run, ranError),
    onChange: (field, value) => changeRun({ [field]: value }),
  });
  return (
    <Predicted today={today} asked={asked}>
      {(named) => {
        const isPredicted = pinFrom(today ?? "").cluster === key;
        const refused = named?.error instanceof ApiProblem && isPredicted ? named.error.fields : [];
        const remarks = todayRemarks(refused, fields);
        return (
          <>
            <div className={`${clusterClasses.fields} small-labels`}>
              <NodesFields fields={fields} errors={{ ...remarks.fields, ...errors }} types={types} onChange={change} />
              {(today !== undefined || paid !== "") && <PaidField paid={paid} onPaid={onPaid} />}
            </div>
            <Billed named={named} paid={paid} objective={asked?.answer.objective ?? "cost"} onPaid={onPaid} />
            {today !== undefined && (
              <Disclosure summary="Storage, measured time" initiallyOpen={fields.storage !== "own" || ran !== ""}>
                {() => (
                  <Stack gap={8} className="small-labels">
                    <div className={clusterClasses.fields}>
                      <StorageFields fields={fields} errors={{ ...remarks.fields, ...errors }} onChange={change} />
                    </div>
                    {asked !== undefined && hasOwnDisks(fields) && (
                      <Copies
                        today={today}
                        document={asked.document}
                        onToday={(next) => {
                          onToday(next);
                          if (ran !== "") onRan(writtenRan(key, run, next));
                        }}
                      />
                    )}
                    {text("time", "What does a run take today?", "e.g. 1 h 50 min", {
                      description: "Measured, without launch: every prediction is scaled to it",
                      inputWrapperOrder: DESCRIPTION_FIRST,
                    })}
                    {run.time.trim() !== "" && text("data", "Data of that run")}
                  </Stack>
                )}
              </Disclosure>
            )}
            <p aria-live="polite" data-testid="today-says">
              {[
                named === undefined
                  ? saysNothing(today)
                  : says(named, remarks.elsewhere, asked?.answer.objective ?? "cost"),
                scaledWords(asked?.answer),
              ]
                .join(" ")
                .trim()}
            </p>
          </>
        );
      }}
    </Predicted>
  );
}

const NO_RUN = { time: "", data: "" };

/** Return what is wrong with the fields of a run; `ofApi` concerns its time. */
function runErrors(run: typeof NO_RUN, ofApi: string | undefined): Partial<typeof NO_RUN> {
  const errors = ranErrors(run);
  return run.time === "" || ofApi === undefined ? errors : { time: ofApi, ...errors };
}

/** Format a run for the URL; "" if it is incomplete or invalid. */
function writtenRan(key: string | undefined, { time, data }: typeof NO_RUN, today: string | undefined): string {
  const errors = ranErrors({ time, data });
  const whole = time.trim() !== "" && errors.time === undefined && errors.data === undefined;
  return key === undefined || !whole ? "" : ranKeptAs(ranText({ key, time, data }), today);
}

/**
 * Describe the effect of the measured time:
 * `Measured; 40 min predicted without it, so every time is 2.77 times as long.`
 */
function scaledWords(answer: PlanAnswer | undefined): string {
  const run = answer?.today;
  if (run == null) return "";
  const times = threeDigits(run.time_s / run.predicted_s);
  const off = percent(Math.expm1(run.error_log_deviation));
  return `Measured; ${duration(run.predicted_s)} predicted without it. Times are scaled by ${times}, give or take ${off}.`;
}

const MOST_COPIES = 5;

interface CopiesProps {
  today: string;
  document: WorkloadDocument;
  onToday: TodayFormProps["onToday"];
}

/** Number of copies on the current cluster, independent of the form. */
function Copies({ today, document, onToday }: CopiesProps) {
  const base = useMemo(() => choiceFromDocument(document).choice, [document]);
  const { durability, replicas } = resolved(today, base).choice;
  if (!durabilitiesOf(base.job).includes("application") && !isHdfs(base.job)) return null;
  const value = durability === "application" ? replicas : durability;
  const counts = Array.from({ length: MOST_COPIES - 1 }, (_, index) => String(index + 2));
  const options = [
    ...(base.durability === ANY ? [{ value: ANY, label: "As is best" }] : []),
    { value: "none", label: isHdfs(base.job) ? "HDFS’ own copies" : "One copy" },
    ...counts.map((count) => ({ value: count, label: `${count} copies` })),
  ];
  const known = options.some((option) => option.value === value);
  return (
    <NativeSelect
      label="Copies today"
      value={value}
      data={known ? options : [...options, { value, label: `${value} copies` }]}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        const copies =
          chosen === "none" || chosen === ANY
            ? { durability: chosen }
            : { durability: "application", replicas: chosen };
        onToday(todayText(pinFrom(today).cluster, base, copies));
      }}
    />
  );
}

interface PredictedProps {
  today: string | undefined;
  asked: TodayFormProps["asked"];
  children: (named: Named | undefined) => ReactNode;
}

interface BilledProps extends Pick<TodayFormProps, "paid" | "onPaid"> {
  named: Named | undefined;
  objective: Objective;
}

/** Assumed billing of the current cluster, for its runs or always on, and a button that chooses the other. */
function Billed({ named, paid, objective, onPaid }: BilledProps) {
  const configuration = named?.configuration;
  const always = configuration?.cost_always_on_usd ?? null;
  if (configuration === undefined || objective === "month") return null;
  if (usdIn(paid) !== null) {
    const isAlways = always !== null && paid === stated(always);
    return (
      <p data-testid="today-billed">
        Assumed: {isAlways ? "always on." : "the monthly cost that you entered."}{" "}
        <Button variant="subtle" size="compact-xs" className={classes.toggle} onClick={() => onPaid("")}>
          Billed for its runs only
        </Button>
      </p>
    );
  }
  const month = usd(configuration.cost_per_month_usd.p50);
  return (
    <p data-testid="today-billed">
      Assumed: billed for its runs only, {month} a month{atRuns(runsPerMonth(configuration))}.{" "}
      {always !== null && (
        <Button variant="subtle" size="compact-xs" className={classes.toggle} onClick={() => onPaid(stated(always))}>
          Always on: {usd(always)} a month
        </Button>
      )}
    </p>
  );
}

/** Format a cost as a person states it. */
function stated(cost_usd: number): string {
  return `${Math.round(cost_usd)} USD`;
}

/** Stable placeholder before the first request, so that the field keeps its focus when a request starts. */
const NOTHING_ASKED = { answer: { configurations: [] }, document: {} };

function Predicted({ today, asked, children }: PredictedProps) {
  const { answer, document } = asked ?? NOTHING_ASKED;
  const [named] = useConfigurations(answer, document, asked === undefined || today === undefined ? [] : [today]);
  return children(named);
}

function saysNothing(today: string | undefined): string {
  return today === undefined ? "Type and nodes are enough: the answer then states what it saves." : "";
}

function says(named: Named, elsewhere: string[], objective: Objective): string {
  const { configuration, infeasible, error } = named;
  if (configuration !== undefined) {
    const own = named.differs.length === 0 ? "" : ` (${named.differs.join(", ")})`;
    return `Today${own}: ${amountsWords(configuration, objective)}${objective === "month" ? "" : " a run"}.`;
  }
  if (infeasible !== undefined) {
    return `Today’s cannot do this job: ${infeasibleWords(infeasible)}`;
  }
  if (named.cluster === null) return "The address names no configuration of today’s.";
  if (error instanceof ApiProblem && error.fields.length > 0) return elsewhere.join(" ");
  if (error instanceof ApiProblem) {
    return `${error.message}${error.reference === null ? "" : ` Reference ${error.reference}.`}`;
  }
  return error === null ? "Being predicted." : "The service cannot be reached.";
}
