import { deleteReport, restoreReport } from "@/api/generated";
import { reportsKey } from "@/api/reports";
import { useRemoval } from "@/ui/feedback/useRemoval";

/** Delete a report and offer to restore it; all lists are updated. */
export function useReportRemoval({ id, title }: { id: string; title: string }) {
  return useRemoval({
    words: `“${title}” is deleted; its links show nothing.`,
    path: { report_id: id },
    remove: deleteReport,
    restore: restoreReport,
    queryKey: reportsKey(),
    atOnce: true,
  });
}
