import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { designVolumes, type VolumeDesignAnswer, type VolumeNeed } from "@/api/generated";
import { requested } from "@/api/requests";

/** Query options of a design, the same for every team. */
function design(need: VolumeNeed) {
  return requested(["volumes", need], (request) => designVolumes({ body: need, ...request }));
}

export interface Designed {
  /** The answer to show: the current one, else the last valid one. */
  answer: VolumeDesignAnswer | undefined;
  working: boolean;
  error: unknown;
  retry: () => void;
}

/** Query volumes; the last valid answer stays until the next one arrives. */
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
