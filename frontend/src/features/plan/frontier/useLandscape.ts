import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CurveAnswer, PlanAnswer } from "@/api/generated";
import { previewedCurves, type WorkloadDocument } from "@/api/queries";

/** Curves are fetched once the question settles; while dragging, the answer has priority [ms]. */
const REST_MS = 250;

/**
 * Query the curves to draw deadline and budget with: those of the same question without these limits.
 *
 * So the chart shows what a limit excludes, and stays the same while a limit moves. The answer to a question with a limit
 * has no curves: until these are there, the chart has the frontier and the first rows.
 *
 * @param document the answered document, with its catalog
 * @param enabled true if limits can be moved; otherwise the answer's own curves are returned
 */
export function useLandscape(answer: PlanAnswer, document: WorkloadDocument, enabled: boolean): CurveAnswer[] {
  const limited = enabled && (answer.limits.deadline_s !== null || answer.limits.budget_usd !== null);
  const [asked] = useDebouncedValue(JSON.stringify(withoutLimits(document)), REST_MS);
  const query = useQuery({ ...previewedCurves(JSON.parse(asked) as WorkloadDocument), enabled: limited });
  const [kept, setKept] = useState<CurveAnswer[]>();
  const curves = limited ? query.data : answer.curves;
  if (curves !== undefined && curves !== kept) setKept(curves);
  const shown = curves ?? kept;
  return shown === undefined || shown.length === 0 ? answer.curves : shown;
}

/** Return a document without deadline, budget and confidence. */
export function withoutLimits(document: WorkloadDocument): WorkloadDocument {
  const {
    deadline: _deadline,
    budget: _budget,
    chance: _chance,
    ...limits
  } = (document["limits"] ?? {}) as WorkloadDocument;
  // Without a value, a default deadline may be assumed.
  return { ...document, limits: { ...limits, deadline: "none" } };
}
