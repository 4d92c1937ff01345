import { useQueryClient } from "@tanstack/react-query";
import { deleteSweep, renameSweep, restoreSweep } from "@/api/generated";
import { sweep as sweepQuery, sweepsKey } from "@/api/planning/sweeps";
import { forTeam } from "@/api/requests";
import { useRemoval } from "@/ui/feedback/useRemoval";

interface NamedSweep {
  id: string;
  name: string;
}

/**
 * Return the changes of a saved sweep; all lists and the sweep itself are updated.
 *
 * @param onRemoved leaves the page of the sweep; undefined in a list
 */
export function useSweepChanges({ id, name }: NamedSweep, onRemoved?: () => void) {
  const client = useQueryClient();
  const queryKey = sweepsKey();
  const path = { sweep_id: id };
  const rename = async (to: string) => {
    const { queryKey: one } = sweepQuery(id);
    client.setQueryData(one, await renameSweep({ path, body: { name: to }, ...forTeam() }));
    await client.invalidateQueries({ queryKey: [...queryKey, "list"] });
  };
  const deleting = useRemoval({
    words: `“${name}” is deleted.`,
    path,
    remove: deleteSweep,
    restore: restoreSweep,
    queryKey,
    ...(onRemoved && { atOnce: true, onRemoved }),
  });
  return { rename, deleting };
}
