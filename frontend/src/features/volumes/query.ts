import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { designVolumes, type VolumeDesignAnswer, type VolumeNeed } from "@/api/generated";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";

/** The same for every team. */
function design(need: Record<string, unknown>) {
  return queryOptions({
    queryKey: ["volumes", need],
    queryFn: ({ signal }) => answered(designVolumes({ body: need as unknown as VolumeNeed, signal })),
    refetchInterval: retryUnreachable,
  });
}

export interface Designed {
  /** The answer to show: the current one, else the last good one. */
  answer: VolumeDesignAnswer | undefined;
  current: boolean;
  working: boolean;
  error: unknown;
  retry: () => void;
}

/** Ask for volumes; the last good answer stays until the next is there. */
export function useDesign(need: Record<string, unknown>): Designed {
  const query = useQuery(design(need));
  const [kept, setKept] = useState<VolumeDesignAnswer>();
  if (query.data !== undefined && query.data !== kept) setKept(query.data);
  return {
    answer: query.data ?? kept,
    current: query.data !== undefined,
    working: query.isFetching,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
