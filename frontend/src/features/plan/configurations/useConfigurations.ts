import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { InfeasibleAnswer, PlanAnswer, PredictionAnswer, RankedAnswer } from "@/api/generated";
import { prediction, type WorkloadDocument } from "@/api/queries";
import { type Cluster, clusterKey, clusterName, documentWithCluster, rankedRow } from "@/features/plan/address/cluster";
import { pinFrom, pinText } from "@/features/plan/address/pinText";
import { differenceInWords, isChosen, ownDocument, resolved } from "@/features/plan/pins/pins";
import { choiceFromDocument } from "@/features/plan/workload/choice";

/** Time, cost and what they rest on, of a ranked row or a prediction. */
export type Configuration = Omit<RankedAnswer, "rank">;

/** What was predicted of the configurations that are stored with a plan, by their text in the address. */
export type Stored = ReadonlyMap<string, PredictionAnswer | InfeasibleAnswer>;

/** What is known of a configuration that the address names. */
export interface Named {
  /** As the address has it; `key` of the configuration itself may say more (how the disks are divided). */
  asked: string;
  key: string;
  /** null where the address names none. */
  cluster: Cluster | null;
  name: string;
  /** What it is predicted for: the question, but for the answers of its own. */
  document: WorkloadDocument;
  /** In words, what of its question is its own: `2 copies`. */
  differs: readonly string[];
  rank: number | undefined;
  configuration: Configuration | undefined;
  sentence: string | undefined;
  infeasible: InfeasibleAnswer | undefined;
  /** No figures yet, or those of other limits. */
  loading: boolean;
  error: unknown;
  retry: () => void;
}

interface Options {
  /** The one whose sources are looked at: the ranking carries those of the first row only. */
  detailed?: string | undefined;
  stored?: Stored | undefined;
  /** Whether nothing can be asked: what is not stored stays without figures. */
  silent?: boolean;
}

/**
 * Find what the address names: ranked rows in the answer, everything else by asking for its prediction.
 *
 * @param document what was answered, with its catalog
 * @param keys as the address has them; the result is in their order
 */
export function useConfigurations(
  answer: Pick<PlanAnswer, "configurations">,
  document: WorkloadDocument,
  keys: readonly string[],
  { detailed, stored, silent = false }: Options = {},
): Named[] {
  // Limits change no time and no cost: while a limit is dragged, figures stay until those with new chances are there.
  const [earlier] = useState(() => new Map<string, PredictionAnswer | InfeasibleAnswer>());
  const base = useMemo(() => choiceFromDocument(document).choice, [document]);
  const wanted = keys.map((key) => {
    const pin = pinFrom(key);
    const found = rankedRow(answer.configurations, pin.cluster);
    // A row of the ranking keeps its data as the question asks, or as the search chose it.
    const ranked = found !== undefined && pin.answers.length === 0;
    const own = resolved(key, base, ranked);
    const row = found !== undefined && (ranked || isChosen(found, own, base)) ? found : undefined;
    const cluster = row ?? own.cluster;
    const of = ownDocument(document, base, own);
    const kept = row === undefined ? stored?.get(key) : undefined;
    const detail = key === detailed;
    const lacking = row === undefined ? kept === undefined || detail : detail && row.sources === false;
    const question = `${key} ${JSON.stringify({ ...of, limits: undefined })}`;
    return { key, own, row, kept, cluster, of, question, asks: lacking && cluster !== null && !silent };
  });
  const results = useQueries({
    queries: wanted.map(({ of, question, cluster, asks }) => ({
      ...prediction(cluster === null ? of : documentWithCluster(of, cluster)),
      enabled: asks,
      placeholderData: () => earlier.get(question),
    })),
  });
  useEffect(() => {
    for (const [index, { question, asks }] of wanted.entries()) {
      const data = results[index]?.data;
      if (asks && data !== undefined) earlier.set(question, data);
    }
  });
  return wanted.map(({ key, own, row, kept, cluster, of, asks }, index) => {
    const result = asks ? results[index] : undefined;
    const said = result?.data ?? kept;
    const feasible = said?.feasible === true ? said : undefined;
    const configuration = row === undefined ? feasible : withSources(row, feasible);
    const { answers } = pinFrom(own.text);
    return {
      asked: key,
      key: configuration === undefined ? own.text : pinText({ cluster: clusterKey(configuration), answers }),
      cluster,
      name: cluster === null ? key : clusterName(cluster),
      document: of,
      differs: differenceInWords(own),
      rank: row?.rank,
      configuration,
      sentence: feasible?.sentence,
      infeasible: said?.feasible === false ? said : undefined,
      loading: row === undefined && kept === undefined && result !== undefined && isUnderway(result),
      error: result?.error ?? null,
      retry: () => void result?.refetch(),
    };
  });
}

function isUnderway({ isPending, isPlaceholderData }: { isPending: boolean; isPlaceholderData: boolean }): boolean {
  return isPending || isPlaceholderData;
}

/** A ranked row with what its numbers rest on, where that has been fetched. */
function withSources(row: RankedAnswer, detailed: PredictionAnswer | undefined): Configuration {
  if (row.sources !== false || detailed === undefined) return row;
  return { ...row, provenance: detailed.provenance, courses: detailed.courses, sources: true };
}
