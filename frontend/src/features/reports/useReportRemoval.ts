import { useMutation, useQueryClient } from "@tanstack/react-query";
import { removeReport, reportsKey, restoringReport } from "@/api/reports";
import { useUndo } from "@/ui/feedback/Undo";

/** Delete a report and offer to restore it; all lists are updated. */
export function useReportRemoval({ id, title }: { id: string; title: string }) {
  const client = useQueryClient();
  const undo = useUndo();
  const queryKey = reportsKey();
  return useMutation({
    mutationFn: () => removeReport(id),
    onSuccess: async () => {
      const bringBack = restoringReport(id);
      undo({
        words: `“${title}” is deleted; its links show nothing.`,
        undo: async () => {
          await bringBack();
          await client.invalidateQueries({ queryKey });
        },
      });
      await client.invalidateQueries({ queryKey: [...queryKey, "list"] });
    },
  });
}
