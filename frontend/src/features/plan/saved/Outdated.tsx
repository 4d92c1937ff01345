import type { SavedPlanAnswer } from "@/api/generated";
import { Notice } from "@/ui/feedback/Notice";

/** Which fields of a stored plan are no longer accepted, and what can be done. */
export function Outdated({ plan: { outdated } }: { plan: Pick<SavedPlanAnswer, "outdated"> }) {
  return outdated == null ? null : <Notice tone="warn">{outdated}</Notice>;
}
