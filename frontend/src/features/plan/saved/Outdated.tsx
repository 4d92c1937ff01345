import type { SavedPlanAnswer } from "@/api/generated";
import { Notice } from "@/ui/feedback/Notice";

/** Fields of a stored plan that are no longer accepted, with the remedy. */
export function Outdated({ plan: { outdated } }: { plan: Pick<SavedPlanAnswer, "outdated"> }) {
  return outdated == null ? null : <Notice tone="warn">{outdated}</Notice>;
}
