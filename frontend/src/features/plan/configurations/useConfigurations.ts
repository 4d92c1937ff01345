import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { InfeasibleAnswer, PlanAnswer, PredictionAnswer, RankedAnswer } from "@/api/generated";
import { openedRow, prediction, type WorkloadDocument } from "@/api/queries";
import { type Cluster, clusterKey, clusterName, documentWithCluster, rankedRow } from "@/features/plan/address/cluster";
import { pinFrom, pinText } from "@/features/plan/address/pinText";
import { differenceInWords, isChosen, ownDocument, resolved } from "@/features/plan/pins/pins";
import { choiceFromDocument } from "@/features/plan/workload/choice";

/** Time, cost and sources of a ranked row or a prediction. */
export type Configuration = Omit<RankedAnswer, "rank"> & {
  /** Costs that the user has given: of runs, or of the always-on cluster. Their parts are unknown. */
  given?: "run" | "month";
};

/** Predictions stored with a plan, by the text of the configuration in the URL. */
export type Stored = ReadonlyMap<string, PredictionAnswer | InfeasibleAnswer>;

/** A configuration named in the URL, with its prediction. */
export interface Named {
  /** Text in the URL; `key` of the configuration itself may be more specific (the division of the disks). */
  asked: string;
  key: string;
  /** null if the URL names none. */
  cluster: Cluster | null;
  name: string;
  /** Workload file of the prediction: the question, with the configuration's own answers. */
  document: WorkloadDocument;
  /** Differences from the question, in words: `2 copies`. */
  differs: readonly string[];
  rank: number | undefined;
  configuration: Configuration | undefined;
  sentence: string | undefined;
  infeasible: InfeasibleAnswer | undefined;
  /** True while there are no figures, or only those for other limits. */
  loading: boolean;
  error: unknown;
  retry: () => void;
}

/** Maximum number of rows that are saved with a plan. */
const SAVED_ROWS = 50;

interface Options {
  /** The configuration with visible sources: the ranking includes those of the first row only. */
  detailed?: string | undefined;
  stored?: Stored | undefined;
  /** Id of the saved plan whose answer it is: its rows are opened with the data that answered the plan. */
  plan?: string | undefined;
  /** True if requests are not allowed: configurations that are not stored have no figures. */
  silent?: boolean;
}

/**
 * Find the configurations in the URL: ranked rows from the answer, others by requesting a prediction.
 *
 * @param document the answered document, with its catalog
 * @param keys texts from the URL; the result has the same order
 */
export function useConfigurations(
  answer: Pick<PlanAnswer, "configurations">,
  document: WorkloadDocument,
  keys: readonly string[],
  { detailed, stored, plan, silent = false }: Options = {},
): Named[] {
  // Limits do not affect time and cost: while a limit is dragged, the figures stay until those with new chances arrive.
  const [earlier] = useState(() => new Map<string, PredictionAnswer | InfeasibleAnswer>());
  const base = useMemo(() => choiceFromDocument(document).choice, [document]);
  const wanted = keys.map((key) => {
    const pin = pinFrom(key);
    const found = rankedRow(answer.configurations, pin.cluster);
    // A ranked row has the durability of the question, or the one chosen by the search.
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
    queries: wanted.map(({ of, question, row, cluster, asks }) => ({
      ...(plan !== undefined && row !== undefined && row.rank <= SAVED_ROWS
        ? openedRow(plan, row.rank)
        : prediction(cluster === null ? of : documentWithCluster(of, cluster))),
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

/** Add the fetched sources to a ranked row. */
function withSources(row: RankedAnswer, detailed: PredictionAnswer | undefined): Configuration {
  if (row.sources !== false || detailed === undefined) return row;
  const { causes, courses, provenance } = detailed;
  return { ...row, causes, courses, provenance, sources: true };
}
