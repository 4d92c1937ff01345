import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ExplanationAnswer } from "@/api/generated";
import { explanation } from "@/api/planning/explanations";
import type { WorkloadDocument } from "@/api/queries";
import { type Cluster, documentWithCluster } from "@/features/plan/address/cluster";

/**
 * An explanation takes as long as a few searches: fetched once the question settles, not at each step of a drag [ms].
 */
const REST_MS = 300;

export interface Explained {
  /** The explanation; the previous one while the next is loading. */
  explanation: ExplanationAnswer | undefined;
  current: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Query why a configuration wins or loses.
 *
 * @param document the answered document, with its open choices: the winner is the best of all of them
 * @param cluster the configuration; null if there is none to explain
 * @param enabled true if the explanation is visible
 */
export function useExplanation(document: WorkloadDocument, cluster: Cluster | null, enabled: boolean): Explained {
  const wanted = JSON.stringify(cluster === null ? null : documentWithCluster(document, cluster));
  const [asked] = useDebouncedValue(wanted, REST_MS);
  const question = JSON.parse(asked) as WorkloadDocument | null;
  const query = useQuery({ ...explanation(question ?? {}), enabled: enabled && question !== null });
  // The explanation of one configuration is not shown for another.
  const whose = clusterIn(wanted);
  const [kept, setKept] = useState<{ whose: string; said: ExplanationAnswer }>();
  if (query.data !== undefined && kept?.said !== query.data) setKept({ whose: clusterIn(asked), said: query.data });
  return {
    explanation: kept?.whose === whose ? kept.said : undefined,
    current: query.data !== undefined && asked === wanted,
    error: query.error,
    retry: () => void query.refetch(),
  };
}

function clusterIn(question: string): string {
  const document = JSON.parse(question) as WorkloadDocument | null;
  return JSON.stringify(document?.["cluster"] ?? null);
}
