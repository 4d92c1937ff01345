import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { PlanAnswer } from "@/api/generated";
import { preview, type WorkloadDocument } from "@/api/queries";

/**
 * Limits of the time after which a newer question cancels a running request [ms]; the time itself is twice the duration
 * of the last request. While dragging, each step is a new question: if each one canceled the previous request, no
 * answer would appear until the drag pauses.
 */
const LEAST_PATIENCE_MS = 250;
const MOST_PATIENCE_MS = 2_000;

export interface Preview {
  /** The answer to show: the current one, else the last valid one. */
  answer: PlanAnswer | undefined;
  /** True if the answer belongs to the latest document. */
  current: boolean;
  working: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Query the plan of a document; the last valid answer stays until the next one arrives.
 *
 * Only one request runs at a time: only the newest of the later questions waits, and replaces the request when its time
 * is up.
 */
export function usePreview(document: WorkloadDocument): Preview {
  const [asked, setAsked] = useState(document);
  const query = useQuery(preview(asked));
  const [kept, setKept] = useState<PlanAnswer>();
  if (query.data !== undefined && query.data !== kept) setKept(query.data);
  const isAsked = JSON.stringify(asked) === JSON.stringify(document);
  if (!isAsked && !query.isFetching) setAsked(document);
  const patience_ms = usePatience(asked, query.data);
  // The running request that a newer question waits for; null if there is none.
  const waited = !isAsked && query.isFetching ? asked : null;
  const newest = useRef(document);
  useEffect(() => {
    newest.current = document;
  }, [document]);
  useEffect(() => {
    if (waited === null) return;
    // The timer starts with the first waiting question; later ones do not restart it.
    const timer = setTimeout(() => setAsked(newest.current), patience_ms.current);
    return () => clearTimeout(timer);
  }, [waited, patience_ms]);
  return {
    answer: query.data ?? kept,
    current: isAsked && query.data !== undefined,
    working: query.isFetching || !isAsked,
    error: isAsked ? query.error : null,
    retry: () => void query.refetch(),
  };
}

/** Compute how long to wait for an answer, from the duration of the last request. */
function usePatience(asked: WorkloadDocument, answer: PlanAnswer | undefined): RefObject<number> {
  const begun = useRef({ question: asked, at_ms: 0 });
  const patience_ms = useRef(LEAST_PATIENCE_MS);
  useEffect(() => {
    begun.current = { question: asked, at_ms: performance.now() };
  }, [asked]);
  useEffect(() => {
    if (answer === undefined) return;
    const took_ms = performance.now() - begun.current.at_ms;
    patience_ms.current = Math.min(MOST_PATIENCE_MS, Math.max(LEAST_PATIENCE_MS, 2 * took_ms));
  }, [answer]);
  return patience_ms;
}
