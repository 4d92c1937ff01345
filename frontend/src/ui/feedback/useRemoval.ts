import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { forTeam } from "@/api/requests";
import type { TeamQuery } from "@/api/team";
import { useUndo } from "./Undo";

type TeamRequest<Path> = { path: Path; query: TeamQuery };

interface Removal<Path> {
  /** Sentence of the offer to undo it: `“Nightly sort” is deleted.` */
  words: string;
  path: Path;
  remove: (request: TeamRequest<Path>) => Promise<unknown>;
  restore: (request: TeamRequest<Path>) => Promise<unknown>;
  /** Key prefix of all cached data of the kind; lists are below `list`. */
  queryKey: QueryKey;
  /** True if the offer comes at once; by default it comes when the row is gone, and takes its focus. */
  atOnce?: boolean;
  onRemoved?: () => void;
}

/** Remove an object, read its lists again, and offer to undo it, in the same team even if the page shows another one by then. */
export function useRemoval<Path>({ words, path, remove, restore, queryKey, atOnce = false, onRemoved }: Removal<Path>) {
  const client = useQueryClient();
  const undo = useUndo();
  return useMutation({
    mutationFn: async () => {
      const request = { path, ...forTeam() };
      await remove(request);
      return request;
    },
    onSuccess: async (request) => {
      const restored = () => client.invalidateQueries({ queryKey });
      const offer = () => undo({ words, undo: () => restore(request).then(restored) });
      const lists = () => client.invalidateQueries({ queryKey: [...queryKey, "list"] });
      if (atOnce) offer();
      onRemoved?.();
      await lists();
      if (!atOnce) offer();
    },
  });
}
