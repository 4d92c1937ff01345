import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { InfeasibleAnswer, PlanAnswer, PredictionAnswer, RankedAnswer } from "@/api/generated";
import { prediction, type WorkloadDocument } from "@/api/queries";
import type { CostTimePoint } from "@/charts/costTime";
import { count } from "@/lib/wording";
import { type Cluster, clusterFromKey, clusterKey, documentWithCluster, rankedRow } from "./cluster";

export interface Chosen {
  /** What the address asks for; undefined where it asks for nothing, null where it names no cluster. */
  cluster: Cluster | null | undefined;
  row: RankedAnswer | undefined;
  prediction: PredictionAnswer | undefined;
  infeasible: InfeasibleAnswer | undefined;
  loading: boolean;
  error: unknown;
  retry: () => void;
  /** Where it stands in the chart: without a choice, the first row. */
  point: CostTimePoint | null;
}

/** Find what the address chose: a ranked row, else a cluster that is predicted for it. */
export function useChosen(answer: PlanAnswer, document: WorkloadDocument, key: string | undefined): Chosen {
  const row = key === undefined ? undefined : rankedRow(answer.configurations, key);
  const cluster = key === undefined ? undefined : clusterFromKey(key);
  const asked = row === undefined && cluster !== undefined && cluster !== null;
  const query = useQuery({
    ...prediction(asked ? documentWithCluster(document, cluster) : document),
    enabled: asked,
  });
  const result = asked ? query.data : undefined;
  const feasible = result?.feasible === true ? result : undefined;
  const shown = row ?? feasible ?? (key === undefined ? answer.configurations[0] : undefined);
  // The same object as long as it is the same point: the chart is drawn anew only for a new one.
  const point = useMemo(
    () => (shown === undefined ? null : { ...pointOf(shown), time_s: shown.time_s.p50, cost_usd: shown.cost_usd.p50 }),
    [shown],
  );
  return {
    cluster,
    row,
    prediction: feasible,
    infeasible: result?.feasible === false ? result : undefined,
    loading: asked && query.isPending,
    error: asked ? query.error : null,
    retry: () => void query.refetch(),
    point,
  };
}

/** Name a cluster and give it its key. */
export function pointOf(cluster: Cluster): { key: string; name: string } {
  return { key: clusterKey(cluster), name: clusterName(cluster) };
}

/** `98 × i2.8xlarge` */
export function clusterName({ nodes, instance }: Pick<Cluster, "nodes" | "instance">): string {
  return `${count(nodes)} × ${instance}`;
}
