import { Button, Collapse } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { catalogues, regionNames, versionOf } from "@/api/catalogues";
import type { PlanAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import type { WorkloadDocument } from "@/api/queries";
import { infeasibleWords } from "./ahead";
import { ClusterFields } from "./ClusterFields";
import { amountsWords } from "./money";
import { regionIn } from "./place";
import type { Objective } from "./rankedColumns";
import classes from "./TodayForm.module.css";
import { type Today, type TodayField, todayFrom, todayKey, todayRemarks } from "./today";
import { type Named, useConfigurations } from "./useConfigurations";

interface TodayFormProps {
  /** As the address has it. */
  today: string | undefined;
  /** What is asked, to predict it for; undefined while nothing is answered. */
  asked: { answer: PlanAnswer; document: WorkloadDocument } | undefined;
  onToday: (key: string | undefined) => void;
}

/** What runs today, on demand: everything else is then held against it. */
export function TodayForm({ today, asked, onToday }: TodayFormProps) {
  const [open, setOpen] = useState(today !== undefined);
  const id = useId();
  const shown = open || today !== undefined;
  return (
    <section className={classes.today} aria-label="What runs today">
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes.toggle}
        aria-expanded={shown}
        aria-controls={id}
        onClick={() => {
          setOpen(!shown);
          if (shown && today !== undefined) onToday(undefined);
        }}
      >
        {shown ? "Do not compare with today’s" : "Compare with today’s"}
      </Button>
      <Collapse expanded={shown} id={id}>
        {shown && <Fields today={today} asked={asked} onToday={onToday} />}
      </Collapse>
    </section>
  );
}

function Fields({ today, asked, onToday }: TodayFormProps) {
  const [fields, setFields] = useState<Today>(() => todayFrom(today));
  const [seen, setSeen] = useState(today);
  const { key, errors } = todayKey(fields);
  // The address changed by other means: back, or a configuration that was made today's.
  if (today !== seen) {
    setSeen(today);
    if (today !== undefined && today !== key) setFields(todayFrom(today));
  }
  const newest = versionOf(useQuery(catalogues).data ?? [], "latest")?.version;
  const version = asked?.answer.catalogue_version ?? newest ?? "";
  const types = useQuery(regionNames(version, regionIn(asked?.document))).data?.instance_types ?? [];
  const change = (field: TodayField, text: string) => {
    const next = { ...fields, [field]: text };
    setFields(next);
    onToday(todayKey(next).key);
  };
  return (
    <Predicted today={today} asked={asked}>
      {(named) => {
        const refused = named?.error instanceof ApiProblem && today === key ? named.error.fields : [];
        const remarks = todayRemarks(refused, fields);
        return (
          <div className={classes.fields}>
            <ClusterFields
              fields={fields}
              errors={{ ...remarks.fields, ...errors }}
              types={types}
              labels={{ instance: "Instance type", nodes: "Nodes today" }}
              onChange={change}
            />
            <p aria-live="polite" data-testid="today-says">
              {named === undefined
                ? saysNothing(today)
                : says(named, remarks.elsewhere, asked?.answer.objective ?? "cost")}
            </p>
          </div>
        );
      }}
    </Predicted>
  );
}

interface PredictedProps {
  today: string | undefined;
  asked: TodayFormProps["asked"];
  children: (named: Named | undefined) => ReactNode;
}

function Predicted({ today, asked, children }: PredictedProps) {
  if (asked === undefined || today === undefined) return children(undefined);
  return <Asked today={today} asked={asked} render={children} />;
}

function Asked({
  today,
  asked,
  render,
}: {
  today: string;
  asked: NonNullable<TodayFormProps["asked"]>;
  render: PredictedProps["children"];
}) {
  const [named] = useConfigurations(asked.answer, asked.document, [today]);
  return render(named);
}

function saysNothing(today: string | undefined): string {
  return today === undefined ? "Type and nodes are enough." : "";
}

function says(named: Named, elsewhere: string[], objective: Objective): string {
  const { configuration, infeasible, error } = named;
  if (configuration !== undefined) {
    return `Today: ${amountsWords(configuration, objective)}.`;
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
