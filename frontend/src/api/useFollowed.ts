import { type QueryKey, type UseQueryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { retryUnreachable } from "./requests";
import { follow } from "./stream";

interface Followed<Whole> {
  first: Whole;
  /** Query of the same object. */
  options: UseQueryOptions<Whole> & { queryKey: QueryKey };
  /** URL of the event stream, and the name of its events. */
  address: string;
  event: string;
  /** Parse the data of an event; null if invalid. */
  read: (data: unknown) => Whole | null;
  isEnded: (whole: Whole) => boolean;
  /** True while there are no events; polling continues until the end (default: `isEnded`). */
  isSilent?: (whole: Whole) => boolean;
  /** Polling interval while the event stream is down [ms]. */
  poll_ms: (whole: Whole | undefined) => number;
}

interface Following<Whole> {
  now: Whole;
  /** Options of mutations whose answer is the object: requests sent before are older than the answer. */
  changing: { onMutate: () => Promise<void>; onSuccess: (answer: Whole) => void };
}

/**
 * Follow an object to its end through its event stream, with polling as a fallback.
 *
 * Each event is the complete object, so that a broken stream (service restart, laptop sleep) can simply be reopened.
 */
export function useFollowed<Whole>(followed: Followed<Whole>): Following<Whole> {
  const { first, options, address, event, read, isEnded, isSilent = isEnded, poll_ms } = followed;
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    ...options,
    initialData: first,
    enabled: ({ state }) => !isEnded(state.data ?? first),
    refetchInterval: (current) => {
      const known = current.state.data;
      if (known !== undefined && isEnded(known)) return false;
      return retryUnreachable(current) || (streaming ? false : poll_ms(known));
    },
  });
  const now = query.data ?? first;
  const silent = isSilent(now);
  const key = JSON.stringify(options.queryKey);
  useEffect(() => {
    if (silent || typeof EventSource === "undefined") return;
    const queryKey = JSON.parse(key) as QueryKey;
    return follow(address, {
      event,
      read,
      isLast: isSilent,
      onHeard: (heard) => {
        // Pending requests are older than this event.
        void client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, heard);
      },
      onStream: setStreaming,
    });
  }, [silent, address, key, event, read, isSilent, client]);
  return {
    now,
    changing: {
      onMutate: () => client.cancelQueries({ queryKey: options.queryKey }),
      onSuccess: (answer) => void client.setQueryData(options.queryKey, answer),
    },
  };
}
