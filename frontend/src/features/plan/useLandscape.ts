import { useQuery } from "@tanstack/react-query";
import type { CurveAnswer, PlanAnswer } from "@/api/generated";
import { preview, type WorkloadDocument } from "@/api/queries";

/**
 * The curves among which deadline and budget are drawn: those of the same question without these limits. So the plot
 * shows what a limit shuts out, and stands still while a limit moves.
 *
 * @param document what was answered, with its catalogue
 * @param enabled whether limits can be moved; else the answer's own curves do
 */
export function useLandscape(answer: PlanAnswer, document: WorkloadDocument, enabled: boolean): CurveAnswer[] {
  const limited = answer.limits.deadline_s !== null || answer.limits.budget_usd !== null;
  const query = useQuery({ ...preview(withoutLimits(document)), enabled: enabled && limited });
  const curves = enabled && limited ? query.data?.curves : undefined;
  return curves === undefined || curves.length === 0 ? answer.curves : curves;
}

function withoutLimits(document: WorkloadDocument): WorkloadDocument {
  const { deadline: _deadline, budget: _budget, ...limits } = (document["limits"] ?? {}) as WorkloadDocument;
  return { ...document, limits };
}
