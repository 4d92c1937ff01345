import { useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { InfeasibleAnswer, PlanAnswer, PredictionAnswer, RankedAnswer } from "@/api/generated";
import { prediction, type WorkloadDocument } from "@/api/queries";
import { type Cluster, clusterFromKey, clusterKey, clusterName, documentWithCluster, rankedRow } from "./cluster";

/** Time, cost and what they rest on, of a ranked row or a prediction. */
export type Configuration = Omit<RankedAnswer, "rank">;

/** What is known of a configuration that the address names. */
export interface Named {
  /** As the address has it; `key` of the configuration itself may say more (how the disks are divided). */
  asked: string;
  key: string;
  /** null where the address names none. */
  cluster: Cluster | null;
  name: string;
  rank: number | undefined;
  configuration: Configuration | undefined;
  sentence: string | undefined;
  infeasible: InfeasibleAnswer | undefined;
  /** No figures yet, or those of other limits. */
  loading: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Find what the address names: ranked rows in the answer, everything else by asking for its prediction.
 *
 * @param document what was answered, with its catalogue
 * @param keys as the address has them; the result is in their order
 * @param detailed the one whose sources are looked at: the ranking carries those of the first row only
 */
export function useConfigurations(
  answer: PlanAnswer,
  document: WorkloadDocument,
  keys: readonly string[],
  detailed?: string,
): Named[] {
  // Limits change no time and no cost: while a limit is dragged, figures stay until those with new chances are there.
  const [earlier] = useState(() => new Map<string, PredictionAnswer | InfeasibleAnswer>());
  const question = JSON.stringify({ ...document, limits: undefined });
  const wanted = keys.map((key) => {
    const row = rankedRow(answer.configurations, key);
    const cluster = row ?? clusterFromKey(key);
    const lacking = row === undefined || (key === detailed && row.sources === false);
    return { key, row, cluster, asks: lacking && cluster !== null };
  });
  const results = useQueries({
    queries: wanted.map(({ key, cluster, asks }) => ({
      ...prediction(cluster === null ? document : documentWithCluster(document, cluster)),
      enabled: asks,
      placeholderData: () => earlier.get(`${key} ${question}`),
    })),
  });
  useEffect(() => {
    for (const [index, { key, asks }] of wanted.entries()) {
      const data = results[index]?.data;
      if (asks && data !== undefined) earlier.set(`${key} ${question}`, data);
    }
  });
  return wanted.map(({ key, row, cluster, asks }, index) => {
    const result = asks ? results[index] : undefined;
    const feasible = result?.data?.feasible === true ? result.data : undefined;
    const configuration = row === undefined ? feasible : withSources(row, feasible);
    return {
      asked: key,
      key: configuration === undefined ? key : clusterKey(configuration),
      cluster,
      name: cluster === null ? key : clusterName(cluster),
      rank: row?.rank,
      configuration,
      sentence: feasible?.sentence,
      infeasible: result?.data?.feasible === false ? result.data : undefined,
      loading: row === undefined && result !== undefined && (result.isPending || result.isPlaceholderData),
      error: result?.error ?? null,
      retry: () => void result?.refetch(),
    };
  });
}

/** A ranked row with what its numbers rest on, where that has been fetched. */
function withSources(row: RankedAnswer, detailed: PredictionAnswer | undefined): Configuration {
  if (row.sources !== false || detailed === undefined) return row;
  return { ...row, provenance: detailed.provenance, courses: detailed.courses, sources: true };
}
