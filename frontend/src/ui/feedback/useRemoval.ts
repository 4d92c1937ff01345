import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useUndo } from "./Undo";

interface Removal {
  /** Sentence of the offer to undo it: `“Nightly sort” is deleted.` */
  words: string;
  remove: () => Promise<unknown>;
  /** Returns the function that undoes it; called on removal. */
  restoring: () => () => Promise<unknown>;
  /** Key prefix of all cached data of the kind; lists are below `list`. */
  queryKey: QueryKey;
  /** True if the offer comes at once; by default it comes when the row is gone, and takes its focus. */
  atOnce?: boolean;
  onRemoved?: () => void;
}

/** Remove an object, read its lists again, and offer to undo it. */
export function useRemoval({ words, remove, restoring, queryKey, atOnce = false, onRemoved }: Removal) {
  const client = useQueryClient();
  const undo = useUndo();
  return useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      const bringBack = restoring();
      const offer = () => undo({ words, undo: () => bringBack().then(() => client.invalidateQueries({ queryKey })) });
      const lists = () => client.invalidateQueries({ queryKey: [...queryKey, "list"] });
      if (atOnce) offer();
      onRemoved?.();
      await lists();
      if (!atOnce) offer();
    },
  });
}
