// Reports: composed, published, read, compared, discussed. Published reports never change.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  addComment,
  compareReports,
  deleteReport,
  listComments,
  listReports,
  makeDocuments,
  type NewReport,
  previewReport,
  publishReport,
  type ReportAnswer,
  type ReportPreviewAnswer,
  readReport,
  removeComment,
  restoreReport,
} from "./generated";
import { client } from "./generated/client.gen";
import { once } from "./once";
import { answered } from "./problem";
import { retryUnreachable } from "./queries";
import { currentTeam, teamQuery } from "./team";

export type {
  Amount,
  Calculation,
  Chart,
  CommentAnswer,
  DeployableAnswer,
  DocumentsAnswer,
  Fact,
  Facts,
  NewReport,
  Origin,
  Paragraph,
  Report,
  ReportAnswer,
  ReportChangeAnswer as ReportChange,
  ReportRow,
  Section,
  SharedReportAnswer,
  Step,
  Table,
} from "./generated";

/** Content of a report, published or not. */
export type Composed = ReportPreviewAnswer;
export type ReportKind = ReportAnswer["report"]["origin"]["kind"];
export type Block = ReportAnswer["report"]["sections"][number]["blocks"][number];
export type Drawings = ReportAnswer["drawings"][string];
export type FileFormat = "pdf" | "xlsx" | "csv" | "json" | "png";

const PAGE = 30;
/** Return the key prefix of all cached data about the team's reports. */
export function reportsKey() {
  return ["reports", currentTeam()];
}

/** Query the reports that contain all search words, newest first. Keeps the previous list while loading. */
export function reportList(search: string) {
  const team = currentTeam();
  return infiniteQueryOptions({
    queryKey: ["reports", team, "list", search],
    queryFn: ({ signal, pageParam }) =>
      answered(listReports({ query: { ...teamQuery(team), limit: PAGE, cursor: pageParam, search }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: retryUnreachable,
  });
}

/** Query a published report. Its content never changes, unlike its files and its newer versions. */
export function report(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["reports", team, "one", id],
    queryFn: ({ signal }) => answered(readReport({ path: { report_id: id }, query: teamQuery(team), signal })),
    staleTime: 0,
    // No polling while the PDF is created: reports are large, so the page follows the job instead.
    refetchInterval: retryUnreachable,
  });
}

/** Query a preview of a report; the question is part of the key. */
export function reportPreview(asked: NewReport) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["reports", team, "preview", asked],
    queryFn: ({ signal }) => answered(previewReport({ body: asked, query: teamQuery(team), signal })),
    refetchInterval: retryUnreachable,
  });
}

export function publish(asked: NewReport) {
  const team = currentTeam();
  return once([team, "report", asked], (key) =>
    answered(publishReport({ body: asked, headers: { "Idempotency-Key": key }, query: teamQuery(team) })),
  );
}

export function removeReport(id: string) {
  return answered(deleteReport({ path: { report_id: id }, query: teamQuery(currentTeam()) }));
}

/** Undo a removal. Uses the team of the removal, even if the page shows another one by now. */
export function restoringReport(id: string) {
  const team = currentTeam();
  return () => answered(restoreReport({ path: { report_id: id }, query: teamQuery(team) }));
}

/** Create the PDF again. */
export function makeAgain(id: string) {
  return answered(makeDocuments({ path: { report_id: id }, query: teamQuery(currentTeam()) }));
}

/** Query the differences between two reports. */
export function reportDifference(older: string, newer: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["reports", team, "difference", older, newer],
    queryFn: ({ signal }) =>
      answered(compareReports({ path: { report_id: newer }, query: { ...teamQuery(team), from: older }, signal })),
    refetchInterval: retryUnreachable,
  });
}

/** Return the URL of a report's file. */
export function fileAddress(id: string, format: FileFormat): string {
  return client.buildUrl({
    url: "/api/v1/reports/{report_id}/files/{format}",
    path: { report_id: id, format },
    query: teamQuery(currentTeam()),
  });
}

/** Return the URL of a shared report's file. */
export function sharedFileAddress(secret: string, format: FileFormat): string {
  return client.buildUrl({ url: "/api/v1/shared/{secret}/files/{format}", path: { secret, format } });
}

/** Query the comments on a report, oldest first. */
export function comments(id: string) {
  const team = currentTeam();
  return infiniteQueryOptions({
    queryKey: ["reports", team, "comments", id],
    queryFn: ({ signal, pageParam }) =>
      answered(listComments({ path: { report_id: id }, query: { ...teamQuery(team), cursor: pageParam }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function say(id: string, text: string) {
  return answered(addComment({ path: { report_id: id }, body: { text }, query: teamQuery(currentTeam()) }));
}

export function unsay(id: string, commentId: string) {
  return answered(removeComment({ path: { report_id: id, comment_id: commentId }, query: teamQuery(currentTeam()) }));
}
