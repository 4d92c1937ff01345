import { useQuery } from "@tanstack/react-query";
import { catalogs, regionNames, versionOf } from "@/api/catalog/catalogs";
import type { FieldProblem, TodayCluster as TodayOfReport } from "@/api/generated";
import { keptTodayInWords, todayCluster } from "@/features/plan/pins/pins";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { ClusterFields } from "./ClusterFields";
import { PaidField } from "./PaidField";
import { TodaySection, useTodayFields } from "./TodaySection";
import { todayRemarks } from "./today";

interface TodayClusterProps {
  /** The current cluster, as in the URL. */
  today: string | undefined;
  onToday: (key: string | undefined) => void;
  /** Monthly cost as stated by the user; "" if it is computed. */
  paid: string;
  onPaid: (text: string) => void;
  /** Problems that the API reported. */
  problems: readonly FieldProblem[];
  /** Label of the button that shows the fields. */
  words?: string;
}

/** Parse the current cluster and its stated cost from the URL; null if invalid. */
export function todayClusterIn(key: string, paid?: string): TodayOfReport | null {
  return todayCluster(key, paid);
}

function says(today: string | undefined): string {
  if (today === undefined) return "Type and nodes are enough.";
  const kept = keptTodayInWords(today);
  return kept === null ? "" : `Data today: ${kept}.`;
}

/** Input fields of the current cluster, for pages without the answer to a plan. */
export function TodayCluster({
  today,
  onToday,
  paid,
  onPaid,
  problems,
  words = "Compare with what runs today",
}: TodayClusterProps) {
  const { fields, errors, change } = useTodayFields(today);
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest")?.version ?? "";
  const types = useQuery(regionNames(newest, DEFAULTS.region)).data?.instance_types ?? [];
  const remarks = todayRemarks(problems, fields);
  return (
    <TodaySection today={today} words={words} onEnd={() => today !== undefined && onToday(undefined)}>
      <ClusterFields
        fields={fields}
        errors={{ ...remarks.fields, ...errors }}
        types={types}
        onChange={(field, text) => onToday(change(field, text).today)}
      />
      {today !== undefined && <PaidField paid={paid} onPaid={onPaid} />}
      <p aria-live="polite">{remarks.elsewhere.join(" ") || says(today)}</p>
    </TodaySection>
  );
}
