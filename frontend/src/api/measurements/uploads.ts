// Uploads of benchmark output: sent in pieces, parsed by a worker, reviewed, stored or discarded.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  beginUpload,
  deleteUpload,
  type Guess,
  judgeReading,
  type KeptAnswer,
  keepUpload,
  listUploads,
  readUpload as readUploadPage,
  type UploadAnswer,
  type UploadSummaryAnswer,
} from "@/api/generated";
import { once } from "@/api/once";
import { addressOf, FRESH, ONCE, ofTeam, retryUnreachable } from "@/api/requests";
import { currentTeam, teamQuery } from "@/api/team";
import type { Target } from "./measurements";

export type {
  Guess,
  KeptAnswer as Kept,
  ReadingAnswer as UploadReading,
  UploadAnswer as Upload,
  UploadSummaryAnswer as UploadSummary,
} from "@/api/generated";

/** Fields of a target that the reader may be asked for. */
export type TargetField = keyof Guess;

/** Size of every piece except the last [bytes]. */
export const PIECE_BYTES = 1 << 20;

const WATCH_MS = 1_000;
const PAGE = 500;

export function uploadsKey() {
  return ["uploads", currentTeam()];
}

/** Uploads that are discarded, and deleted when this can no longer be undone. */
const discarded = new Map<string, ReturnType<typeof setTimeout>>();
/** Longer than undoing is offered [ms]. */
const DELETED_AFTER_MS = 30_000;

/** Hide uploads, and delete them after a while: until then `restore` brings them back. */
export function discard(ids: readonly string[]): void {
  const team = teamQuery(currentTeam());
  for (const id of ids) {
    const timer = setTimeout(() => void deleteDiscarded(id, team), DELETED_AFTER_MS);
    discarded.set(id, timer);
    // A page that is left deletes them at once.
    window.addEventListener("pagehide", () => void deleteDiscarded(id, team), { once: true });
  }
}

async function deleteDiscarded(id: string, team: ReturnType<typeof teamQuery>): Promise<void> {
  if (!discarded.has(id)) return;
  clearTimeout(discarded.get(id));
  // It stays hidden: an upload that could not be deleted expires after a day.
  await deleteUpload({ path: { upload_id: id }, query: team, keepalive: true }).catch(() => undefined);
}

/** Show discarded uploads again. */
export function restore(ids: readonly string[]): void {
  for (const id of ids) {
    clearTimeout(discarded.get(id));
    discarded.delete(id);
  }
}

export function isDiscarded(id: string): boolean {
  return discarded.has(id);
}

/** Query the pending uploads: neither stored nor discarded. */
export function uploads() {
  const list = (request: Parameters<typeof listUploads<true>>[0]) =>
    listUploads<true>(request).then((found) => ({ uploads: found.uploads.filter(({ id }) => !isDiscarded(id)) }));
  return ofTeam(["uploads", "list"], list, {
    ...FRESH,
    refetchInterval: (query) =>
      query.state.data?.uploads.some(({ state }) => state === "reading") === true ? WATCH_MS : retryUnreachable(query),
  });
}

/** Query an upload with all its readings. */
export function upload(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["uploads", team, "one", id],
    queryFn: ({ signal }) => wholeUpload(id, signal),
    // The readings of a file are fixed, but they may be stored as measurements meanwhile.
    staleTime: 0,
    refetchInterval: (query) => (query.state.data?.state === "reading" ? WATCH_MS : retryUnreachable(query)),
  });
}

async function wholeUpload(id: string, signal: AbortSignal): Promise<UploadAnswer> {
  const read = (offset: number) =>
    readUploadPage({
      path: { upload_id: id },
      query: { ...teamQuery(currentTeam()), offset, limit: PAGE },
      signal,
    });
  const first = await read(0);
  let whole = first;
  while (whole.readings.length < first.readings_total) {
    const next = await read(whole.readings.length);
    if (next.readings.length === 0) break;
    whole = { ...whole, readings: [...whole.readings, ...next.readings] };
  }
  return whole;
}

/** Start an upload; `key` distinguishes dropped files of the same name. */
export function begin(
  name: string,
  size_bytes: number,
  key: string,
  signal: AbortSignal,
): Promise<UploadSummaryAnswer> {
  return once(["upload", key], (idempotency) =>
    beginUpload({ body: { name, size_bytes }, headers: { "Idempotency-Key": idempotency }, signal }),
  );
}

/** Reading to store, with its target. */
export interface Choice {
  position: number;
  target: Target;
}

export function keep(id: string, readings: readonly Choice[]): Promise<KeptAnswer> {
  const kept = readings.map(({ position, target }) => ({ position, target, keep: true }));
  return keepUpload({ path: { upload_id: id }, body: { readings: kept } });
}

/** Query the verdict on a reading for a target. Keeps the previous verdict while loading. */
export function judgement(id: string, position: number, target: Target) {
  return ofTeam(
    ["uploads", "judgement", id, position, target],
    ({ signal }) => judgeReading({ path: { upload_id: id }, body: { position, target }, signal }),
    { placeholderData: keepPreviousData, retry: false, ...ONCE },
  );
}

/** Return the URL of the original file. */
export function originalAddress(id: string): string {
  return addressOf("/api/v1/uploads/{upload_id}/file", { upload_id: id });
}
