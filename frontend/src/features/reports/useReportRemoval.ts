import { useMutation, useQueryClient } from "@tanstack/react-query";
import { removeReport, reportsKey, restoringReport } from "@/api/reports";
import { useUndo } from "@/ui/feedback/Undo";

/** Removes a report, wherever it is shown, and offers to bring it back. Every list follows. */
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
