import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { designVolumes, type VolumeDesignAnswer, type VolumeNeed } from "@/api/generated";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";

/** The same for every team. */
function design(need: VolumeNeed) {
  return queryOptions({
    queryKey: ["volumes", need],
    queryFn: ({ signal }) => answered(designVolumes({ body: need, signal })),
    refetchInterval: retryUnreachable,
  });
}

export interface Designed {
  /** The answer to show: the current one, else the last good one. */
  answer: VolumeDesignAnswer | undefined;
  working: boolean;
  error: unknown;
  retry: () => void;
}

/** Ask for volumes; the last good answer stays until the next is there. */
export function useDesign(need: VolumeNeed): Designed {
  const query = useQuery(design(need));
  const [kept, setKept] = useState<VolumeDesignAnswer>();
  if (query.data !== undefined && query.data !== kept) setKept(query.data);
  return {
    answer: query.data ?? kept,
    working: query.isFetching,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
