import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PlanAnswer } from "@/api/generated";
import { preview, type WorkloadDocument } from "@/api/queries";

export interface Preview {
  /** The answer to show: the current one, else the last good one. */
  answer: PlanAnswer | undefined;
  /** Whether the answer belongs to the document that was asked last. */
  current: boolean;
  working: boolean;
  error: unknown;
  retry: () => void;
}

/** Ask for the plan of a document; the last good answer stays until the next is there. */
export function usePreview(document: WorkloadDocument): Preview {
  const query = useQuery(preview(document));
  const [kept, setKept] = useState<PlanAnswer>();
  if (query.data !== undefined && query.data !== kept) setKept(query.data);
  return {
    answer: query.data ?? kept,
    current: query.data !== undefined,
    working: query.isFetching,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
