import { useMutation, useQueryClient } from "@tanstack/react-query";
import { duplicateSaved, plansKey, removeSaved, renameSaved, restoringSaved, savedPlan } from "@/api/queries";
import { useRemoval } from "@/ui/feedback/useRemoval";

interface NamedPlan {
  id: string;
  name: string;
}

/** Return the mutations of a saved plan; all lists and the plan itself are updated. */
export function usePlanChanges({ id, name }: NamedPlan) {
  const client = useQueryClient();
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
  const deleting = useRemoval({
    words: `“${name}” is deleted.`,
    remove: () => removeSaved(id),
    restoring: () => restoringSaved(id),
    queryKey,
  });
  return { rename, duplicating, deleting, error: duplicating.error ?? deleting.error };
}
