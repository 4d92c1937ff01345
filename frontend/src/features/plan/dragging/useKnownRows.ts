import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { previewLimits } from "@/api/generated";
import { asFile, type WorkloadDocument } from "@/api/queries";
import { ofTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import type { View } from "@/features/plan/address/view";
import type { Preview } from "@/features/plan/answer/usePreview";
import { withoutLimits } from "@/features/plan/frontier/useLandscape";
import { type Choice, valueAt } from "@/features/plan/workload/choice";
import { secondsIn, usdIn } from "@/lib/amounts";
import { draggableBudgets_usd, draggableDeadlines_s } from "./draggable";
import { type AskedLimits, RowsByLimit } from "./rowsByLimit";

/** The rows take as long as six searches: fetched once the question settles, after its answer is drawn [ms]. */
const REST_MS = 250;
/** Rows of earlier workloads take memory, about 3 MB each [ms]. */
const KEPT_MS = 60_000;

interface Known {
  /** Rows under every limit of the workload; undefined until they are there, or if they cannot be known. */
  rows: RowsByLimit | undefined;
  /** Limits of the question; undefined if they are not valid. */
  asked: AskedLimits | undefined;
}

interface KnownRowsProps {
  asked: Choice;
  document: WorkloadDocument;
  view: View;
  preview: Pick<Preview, "answer" | "current">;
}

/**
 * Query the rows under every limit of a question's workload, once its answer is drawn.
 *
 * The rows do not depend on the deadline, the budget and the confidence of the document. If anything else changes, a
 * running request is aborted.
 */
export function useKnownRows({ asked, document, view, preview: { answer, current } }: KnownRowsProps): Known {
  // A whole ranking, sorted or filtered, comes from the service.
  const isWhole = view.find !== undefined || view.sort !== undefined || view.shown !== undefined;
  const mayAsk = useMay("plans.ask");
  const now = JSON.stringify(withoutLimits(document));
  const [settled] = useDebouncedValue(now, REST_MS);
  const { data } = useQuery({
    ...rowsByLimit(JSON.parse(settled) as WorkloadDocument),
    enabled: current && mayAsk && settled === now,
  });
  const found = useMemo(() => (data == null ? undefined : new RowsByLimit(data)), [data]);
  const isOfQuestion = settled === now && found?.answer.catalog_version === answer?.catalog_version;
  const rows = isOfQuestion && !isWhole ? found : undefined;
  return { rows, asked: useMemo(() => rows && askedLimits(asked, rows), [asked, rows]) };
}

function rowsByLimit(document: WorkloadDocument) {
  const byTime = valueAt(document, "objective") === "time";
  return ofTeam(
    ["limits", document],
    async (request) => {
      const limits = {
        deadlines_s: byTime ? [] : draggableDeadlines_s(),
        budgets_usd: byTime ? draggableBudgets_usd() : [],
      };
      // Without rows the page asks for each limit, as it does until they are there.
      return (await previewLimits({ body: { workload: asFile(document), ...limits }, ...request })) ?? null;
    },
    { gcTime: KEPT_MS, retry: false, refetchInterval: false },
  );
}

/** Parse the limits of a question; undefined if one is not valid. */
export function askedLimits({ deadline, budget, chance }: Choice, rows: RowsByLimit): AskedLimits | undefined {
  const { usual_deadline_s, usual_confidence } = rows.answer;
  const [deadlineText, budgetText] = [deadline.trim(), budget.trim()];
  const deadline_s = deadlineText === "" ? usual_deadline_s : deadlineText === "none" ? null : secondsIn(deadlineText);
  const budget_usd = budgetText === "" ? null : usdIn(budgetText);
  if ((deadline_s === null && !["", "none"].includes(deadlineText)) || (budget_usd === null && budgetText !== "")) {
    return undefined;
  }
  // A confidence is of a deadline that the question states.
  const stated = deadlineText === "" ? "" : chance.trim();
  const confidence = stated === "" ? usual_confidence : Number(stated.replace("%", "")) / 100;
  return { deadline_s, budget_usd, confidence };
}
