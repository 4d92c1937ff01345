import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { PlanAnswer } from "@/api/generated";
import { preview, type WorkloadDocument } from "@/api/queries";

/**
 * How long a request may still answer when the question has moved on [ms]: twice what the last one took, within these.
 * While dragging, each step is a new question: if each cancelled the request before it, nothing would be answered until
 * the drag pauses.
 */
const LEAST_PATIENCE_MS = 250;
const MOST_PATIENCE_MS = 2_000;

export interface Preview {
  /** The answer to show: the current one, else the last good one. */
  answer: PlanAnswer | undefined;
  /** Whether the answer belongs to the document that was asked last. */
  current: boolean;
  working: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Ask for the plan of a document; the last good answer stays until the next is there.
 *
 * One request at a time: of the questions that come while it is under way only the newest waits for it, and takes its
 * place when patience ends.
 */
export function usePreview(document: WorkloadDocument): Preview {
  const [asked, setAsked] = useState(document);
  const query = useQuery(preview(asked));
  const [kept, setKept] = useState<PlanAnswer>();
  if (query.data !== undefined && query.data !== kept) setKept(query.data);
  const isAsked = JSON.stringify(asked) === JSON.stringify(document);
  if (!isAsked && !query.isFetching) setAsked(document);
  const patience_ms = usePatience(asked, query.data);
  // The question whose answer is waited for: another of them is another wait.
  const waited = !isAsked && query.isFetching ? asked : null;
  const newest = useRef(document);
  useEffect(() => {
    newest.current = document;
  }, [document]);
  useEffect(() => {
    if (waited === null) return;
    // From when the first of them began to wait: the next does not start again.
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

/** How long one waits for an answer, by how long the last one took. */
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
