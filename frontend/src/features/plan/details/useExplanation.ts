import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ExplanationAnswer } from "@/api/generated";
import { explanation } from "@/api/planning/explanations";
import type { WorkloadDocument } from "@/api/queries";
import { type Cluster, documentWithCluster } from "@/features/plan/address/cluster";

/** An explanation is as much work as a few searches: fetched when the question rests, not at each step of a drag [ms]. */
const REST_MS = 300;

export interface Explained {
  /** The last one, while the next is on its way. */
  explanation: ExplanationAnswer | undefined;
  current: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Ask why a configuration wins or loses.
 *
 * @param document what was answered, with what it leaves open: the winner is sought in all of it
 * @param cluster the configuration; null where there is none to explain
 * @param enabled whether it is visible
 */
export function useExplanation(document: WorkloadDocument, cluster: Cluster | null, enabled: boolean): Explained {
  const wanted = JSON.stringify(cluster === null ? null : documentWithCluster(document, cluster));
  const [asked] = useDebouncedValue(wanted, REST_MS);
  const question = JSON.parse(asked) as WorkloadDocument | null;
  const query = useQuery({ ...explanation(question ?? {}), enabled: enabled && question !== null });
  // What was said of one configuration is not shown for another.
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
