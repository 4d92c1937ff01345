import { useMutation, useQueryClient } from "@tanstack/react-query";
import { duplicateSaved, plansKey, removeSaved, renameSaved, restoringSaved, savedPlan } from "@/api/queries";
import { useUndo } from "@/ui/feedback/Undo";

interface NamedPlan {
  id: string;
  name: string;
}

/** Return the mutations of a saved plan; all lists and the plan itself are updated. */
export function usePlanChanges({ id, name }: NamedPlan) {
  const client = useQueryClient();
  const undo = useUndo();
  const queryKey = plansKey();
  const lists = () => client.invalidateQueries({ queryKey: [...queryKey, "list"] });
  const rename = async (to: string) => {
    const renamed = await renameSaved(id, to);
    client.setQueryData(savedPlan(id).queryKey, renamed);
    await lists();
  };
  const duplicating = useMutation({
    mutationFn: () => duplicateSaved(id),
    onSuccess: async (copy) => {
      client.setQueryData(savedPlan(copy.id).queryKey, copy);
      await lists();
    },
  });
  const deleting = useMutation({
    mutationFn: () => removeSaved(id),
    onSuccess: async () => {
      const bringBack = restoringSaved(id);
      await lists();
      undo({
        words: `“${name}” is deleted.`,
        undo: async () => {
          await bringBack();
          await client.invalidateQueries({ queryKey });
        },
      });
    },
  });
  return { rename, duplicating, deleting, error: duplicating.error ?? deleting.error };
}
