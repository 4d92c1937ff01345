import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogs, regionNames, versionOf } from "@/api/catalog/catalogs";
import type { FieldProblem, TodayCluster as TodayOfReport } from "@/api/generated";
import { pinFrom, pinText } from "@/features/plan/address/pinText";
import { keptTodayInWords, todayCluster } from "@/features/plan/pins/pins";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { ClusterFields } from "./ClusterFields";
import classes from "./TodayForm.module.css";
import { type Today, type TodayField, todayFrom, todayKey, todayRemarks } from "./today";

interface TodayClusterProps {
  /** The current cluster, as in the URL. */
  today: string | undefined;
  onToday: (key: string | undefined) => void;
  /** Problems that the API reported. */
  problems: readonly FieldProblem[];
}

/** Parse the current cluster from the URL; null if invalid. */
export function todayClusterIn(key: string): TodayOfReport | null {
  return todayCluster(key);
}

function says(today: string | undefined): string {
  if (today === undefined) return "Type and nodes are enough.";
  const kept = keptTodayInWords(today);
  return kept === null ? "" : `Data today: ${kept}.`;
}

/** Input fields of the current cluster, for pages without the answer to a plan. */
export function TodayCluster({ today, onToday, problems }: TodayClusterProps) {
  const [open, setOpen] = useState(today !== undefined);
  const pin = pinFrom(today ?? "");
  const [fields, setFields] = useState<Today>(() => todayFrom(pin.cluster));
  const [seen, setSeen] = useState(today);
  const { key, errors } = todayKey(fields);
  // The URL changed by other means: back button, link.
  if (today !== seen) {
    setSeen(today);
    if (today !== undefined && pin.cluster !== key) {
      setFields(todayFrom(pin.cluster));
      setOpen(true);
    }
  }
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest")?.version ?? "";
  const types = useQuery(regionNames(newest, DEFAULTS.region)).data?.instance_types ?? [];
  const remarks = todayRemarks(problems, fields);
  const change = (field: TodayField, text: string) => {
    const next = { ...fields, [field]: text };
    setFields(next);
    const cluster = todayKey(next).key;
    const own = next.storage === fields.storage ? pin.answers : [];
    onToday(cluster === undefined ? undefined : pinText({ cluster, answers: own }));
  };
  return (
    <section className={classes.today} aria-label="What runs today">
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes.toggle}
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          if (open && today !== undefined) onToday(undefined);
        }}
      >
        {open ? "Stop comparing with current cluster" : "Compare with what runs today"}
      </Button>
      {open && (
        <div className={classes.fields}>
          <ClusterFields
            fields={fields}
            errors={{ ...remarks.fields, ...errors }}
            types={types}
            labels={{ instance: "Instance type", nodes: "Nodes today" }}
            onChange={change}
          />
          <p aria-live="polite">{remarks.elsewhere.join(" ") || says(today)}</p>
        </div>
      )}
    </section>
  );
}
