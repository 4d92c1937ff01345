import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { NewReport } from "@/api/generated";
import { type Composed, reportPreview } from "@/api/reports";

export interface Preview {
  /** The answer, or the last valid one. */
  composed: Composed | undefined;
  /** Whether this is the answer to the current question. */
  current: boolean;
  working: boolean;
  error: unknown;
  retry: () => void;
}

const NOTHING: NewReport = { title: "Report", origin: { kind: "validation" } };

/** Request a preview of the report; the last valid answer stays until the next one arrives. */
export function useComposed(question: NewReport | null, settled: boolean): Preview {
  const query = useQuery({ ...reportPreview(question ?? NOTHING), enabled: question !== null });
  const [kept, setKept] = useState<Composed>();
  const data = question === null ? undefined : query.data;
  if (data !== undefined && data !== kept) setKept(data);
  return {
    composed: data ?? kept,
    current: settled && data !== undefined,
    working: question !== null && (query.isFetching || !settled),
    error: question === null ? null : query.error,
    retry: () => void query.refetch(),
  };
}
