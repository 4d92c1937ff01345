// Uploads of benchmark output: sent in pieces, parsed by a worker, reviewed, stored or discarded.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  addPiece,
  beginUpload,
  deleteUpload,
  type GuessAnswer,
  judgeReading,
  type KeptAnswer,
  keepUpload,
  listUploads,
  type NeedAnswer,
  type ReadingAnswer,
  readUpload as readUploadPage,
  startReading as startReadingUpload,
  type UploadAnswer,
  type UploadSummaryAnswer,
} from "@/api/generated";
import { client } from "@/api/generated/client.gen";
import { once } from "@/api/once";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";
import type { Target } from "./measurements";

export type {
  GuessAnswer as Guess,
  KeptAnswer as Kept,
  NeedAnswer as Need,
  ReadingAnswer as UploadReading,
  UploadAnswer as Upload,
  UploadSummaryAnswer as UploadSummary,
};

/** The parts of a target that may be asked for. */
export type TargetField = keyof GuessAnswer;

/** All pieces but the last are as large as this [bytes]. */
export const PIECE_BYTES = 1 << 20;

const WATCH_MS = 1_000;
const PAGE = 500;

export function uploadsKey() {
  return ["uploads", currentTeam()];
}

/** What was begun and neither kept nor thrown away. */
export function uploads() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["uploads", team, "list"],
    queryFn: ({ signal }) => answered(listUploads({ query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: (query) =>
      query.state.data?.uploads.some(({ state }) => state === "reading") === true ? WATCH_MS : retryUnreachable(query),
  });
}

/** An upload with everything that was read of it. */
export function upload(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["uploads", team, "one", id],
    queryFn: ({ signal }) => wholeUpload(id, signal),
    // What was read of a file does not change; whether it is a measurement already does.
    staleTime: 0,
    refetchInterval: (query) => (query.state.data?.state === "reading" ? WATCH_MS : retryUnreachable(query)),
  });
}

async function wholeUpload(id: string, signal: AbortSignal): Promise<UploadAnswer> {
  const read = (offset: number) =>
    answered(
      readUploadPage({
        path: { upload_id: id },
        query: { ...teamQuery(currentTeam()), offset, limit: PAGE },
        signal,
      }),
    );
  const first = await read(0);
  let whole = first;
  while (whole.readings.length < first.readings_total) {
    const next = await read(whole.readings.length);
    if (next.readings.length === 0) break;
    whole = { ...whole, readings: [...whole.readings, ...next.readings] };
  }
  return whole;
}

/** Begin an upload; `key` tells one file that was dropped from another of the same name. */
export function begin(
  name: string,
  size_bytes: number,
  key: string,
  signal: AbortSignal,
): Promise<UploadSummaryAnswer> {
  return once(["upload", key], (idempotency) =>
    answered(beginUpload({ body: { name, size_bytes }, headers: { "Idempotency-Key": idempotency }, signal })),
  );
}

/** Send a piece; the same piece twice is once. */
export function putPiece(id: string, number: number, piece: Blob, signal: AbortSignal): Promise<UploadSummaryAnswer> {
  return answered(addPiece({ path: { upload_id: id, number }, body: piece, signal }));
}

/** Have it read: all its pieces are there. A reading that was broken off goes on. */
export function startReading(id: string): Promise<UploadSummaryAnswer> {
  return answered(startReadingUpload({ path: { upload_id: id } }));
}

export function discard(id: string): Promise<unknown> {
  return answered(deleteUpload({ path: { upload_id: id } }));
}

/** A reading that is to be kept, and what it was measured on. */
export interface Choice {
  position: number;
  target: Target;
}

export function keep(id: string, readings: readonly Choice[]): Promise<KeptAnswer> {
  const kept = readings.map(({ position, target }) => ({ position, target, keep: true }));
  return answered(keepUpload({ path: { upload_id: id }, body: { readings: kept } }));
}

/** How a reading is judged on a target. The last judgement stays until the next is there. */
export function judgement(id: string, position: number, target: Target) {
  return queryOptions({
    queryKey: ["uploads", currentTeam(), "judgement", id, position, target],
    queryFn: ({ signal }) => answered(judgeReading({ path: { upload_id: id }, body: { position, target }, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Where the original is, byte for byte. */
export function originalAddress(id: string): string {
  return client.buildUrl({
    url: "/api/v1/uploads/{upload_id}/file",
    path: { upload_id: id },
    query: teamQuery(currentTeam()),
  });
}
