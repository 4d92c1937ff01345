import { useDebouncedValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { BestOfDurabilityAnswer, PlanAnswer, RankedAnswer } from "@/api/generated";
import { preview, type WorkloadDocument } from "@/api/queries";
import { clusterName } from "@/features/plan/address/cluster";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { pinOf } from "@/features/plan/pins/pins";
import { type Choice, choiceFromDocument, documentChanged } from "@/features/plan/workload/choice";
import { ANY, durabilitiesOf, isHdfs } from "@/features/plan/workload/jobs";

/** Each durability is a search: requested once the question settles [ms]. */
const REST_MS = 300;

export interface OfDurability {
  durability: string;
  /** Label: `own disks`, `2 copies`, `EBS`, `S3`. */
  label: string;
  /** The best configuration; without figures while loading, or if there is none. */
  named: Named;
  /** Reason why there is none; null while loading, or if there is one. */
  empty: string | null;
}

const NAMES: Record<string, (choice: Choice) => string> = {
  none: ({ job }) => (isHdfs(job) ? "HDFS’ copies" : "own disks"),
  application: ({ replicas }) => `${replicas} copies`,
  infrastructure: () => "EBS",
  "object-store": () => "S3",
};

/**
 * Find the best configuration of each durability that the job allows, for an otherwise equal question.
 *
 * @param document the answered document, with its catalog
 * @param enabled true if the durabilities are compared
 */
export function useDurabilities(answer: PlanAnswer, document: WorkloadDocument, enabled: boolean): OfDurability[] {
  const [text] = useDebouncedValue(JSON.stringify(document), REST_MS);
  const asked = useMemo((): Asked[] => {
    if (!enabled) return [];
    const rested = JSON.parse(text) as WorkloadDocument;
    const base = choiceFromDocument(rested).choice;
    return durabilitiesOf(base.job)
      .filter((durability) => durability !== ANY)
      .map((durability) => {
        const choice = { ...base, durability };
        return { durability, base, choice, document: documentChanged(rested, base, choice) };
      });
  }, [enabled, text]);
  const current = text === JSON.stringify(document);
  const results = useQueries({
    queries: asked.map((one) => ({
      ...preview(one.document),
      // The durability of the question itself is already answered.
      enabled: one.durability !== one.base.durability,
    })),
  });
  return asked.map((one, index): OfDurability => {
    const own = one.durability === one.base.durability && current;
    const result = results[index];
    const data = own ? answer : result?.data;
    return {
      durability: one.durability,
      label: NAMES[one.durability]?.(one.choice) ?? one.durability,
      empty: data?.configurations.length === 0 ? data.sentence : null,
      named: {
        ...bestOf(data?.configurations[0], one),
        loading: data === undefined && result?.error === null,
        error: own ? null : (result?.error ?? null),
        retry: () => void result?.refetch(),
      },
    };
  });
}

/** Return the best configurations stored with a plan, without a new search. */
export function storedDurabilities(
  stored: readonly BestOfDurabilityAnswer[],
  document: WorkloadDocument,
): OfDurability[] {
  const base = choiceFromDocument(document).choice;
  return stored.map(({ durability: kept, best, sentence }): OfDurability => {
    const durability = kept.model ?? "none";
    const replicas = kept.model === "application" ? String(kept.replicas ?? base.replicas) : base.replicas;
    const choice = { ...base, durability, replicas };
    const one = { durability, base, choice, document: documentChanged(document, base, choice) };
    return {
      durability,
      label: NAMES[durability]?.(choice) ?? durability,
      empty: best === null ? sentence : null,
      named: { ...bestOf(best ?? undefined, one), loading: false, error: null, retry: () => undefined },
    };
  });
}

interface Asked {
  durability: string;
  base: Choice;
  choice: Choice;
  document: WorkloadDocument;
}

/** Convert the best configuration of a search to a column, pinned with the durability of the search. */
function bestOf(
  best: RankedAnswer | undefined,
  { durability, base, choice, document }: Asked,
): Omit<Named, "loading" | "error" | "retry"> {
  const shared = { asked: "", document, differs: [], rank: undefined, sentence: undefined, infeasible: undefined };
  if (best === undefined) return { ...shared, key: "", cluster: null, name: "", configuration: undefined };
  const open = { purchase: base.purchase === ANY, durability: durability !== base.durability };
  const kept = { durability: durability as RankedAnswer["durability"], replicas: Number(choice.replicas) };
  const key = pinOf({ ...best, ...kept }, open, base);
  return { ...shared, key, cluster: best, name: clusterName(best), configuration: best };
}
