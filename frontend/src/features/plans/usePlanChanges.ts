import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deletePlan, renamePlan, restorePlan } from "@/api/generated";
import { duplicateSaved, plansKey, savedPlan } from "@/api/queries";
import { forTeam } from "@/api/requests";
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
    const renamed = await renamePlan({ path: { plan_id: id }, body: { name: to }, ...forTeam() });
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
    path: { plan_id: id },
    remove: deletePlan,
    restore: restorePlan,
    queryKey,
  });
  return { rename, duplicating, deleting, error: duplicating.error ?? deleting.error };
}
