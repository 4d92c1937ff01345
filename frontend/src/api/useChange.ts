import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/**
 * Change something in the service, then read again all cached data below some keys.
 *
 * @param onDone called when they are read
 */
export function useChange<Answer, Input = void>(
  mutationFn: (input: Input) => Promise<Answer>,
  queryKeys: readonly QueryKey[],
  onDone?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: async (answer) => {
      await Promise.all(queryKeys.map((queryKey) => client.invalidateQueries({ queryKey })));
      onDone?.(answer);
    },
  });
}
