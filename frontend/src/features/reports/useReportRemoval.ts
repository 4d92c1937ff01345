import { removeReport, reportsKey, restoringReport } from "@/api/reports";
import { useRemoval } from "@/ui/feedback/useRemoval";

/** Delete a report and offer to restore it; all lists are updated. */
export function useReportRemoval({ id, title }: { id: string; title: string }) {
  return useRemoval({
    words: `“${title}” is deleted; its links show nothing.`,
    remove: () => removeReport(id),
    restoring: () => restoringReport(id),
    queryKey: reportsKey(),
    atOnce: true,
  });
}
