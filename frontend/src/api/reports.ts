// Reports: composed, published, read, compared, discussed. Published reports never change.

import {
  compareReports,
  listComments,
  listReports,
  listSchedules,
  type NewReport,
  previewReport,
  publishReport,
  type ReportAnswer,
  type ReportPreviewAnswer,
  readReport,
} from "./generated";
import { client } from "./generated/client.gen";
import { addressOf, FRESH, ofTeam, pagesOfTeam, storedOnce } from "./requests";
import { currentTeam } from "./team";

export type { ReportChange } from "./generated";

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
  return pagesOfTeam(["reports", "list", search], ({ query, signal }) =>
    listReports({ query: { ...query, limit: PAGE, search }, signal }),
  );
}

/** Query a published report. Its content never changes, unlike its files and its newer versions. */
export function report(id: string) {
  // No polling while the PDF is created: reports are large, so the page follows the job instead.
  return ofTeam(["reports", "one", id], (request) => readReport({ path: { report_id: id }, ...request }), FRESH);
}

/** Query a preview of a report; the question is part of the key. */
export function reportPreview(asked: NewReport) {
  return ofTeam(["reports", "preview", asked], (request) => previewReport({ body: asked, ...request }));
}

export function publish(asked: NewReport) {
  return storedOnce(["report", asked], (request) => publishReport({ body: asked, ...request }));
}

/** Query the differences between two reports. */
export function reportDifference(older: string, newer: string) {
  return ofTeam(["reports", "difference", older, newer], ({ query, signal }) =>
    compareReports({ path: { report_id: newer }, query: { ...query, from: older }, signal }),
  );
}

/** Return the URL of a report's file. */
export function fileAddress(id: string, format: FileFormat): string {
  return addressOf("/api/v1/reports/{report_id}/files/{format}", { report_id: id, format });
}

/** Return the URL of a shared report's file. */
export function sharedFileAddress(secret: string, format: FileFormat): string {
  return client.buildUrl({ url: "/api/v1/shared/{secret}/files/{format}", path: { secret, format } });
}

/** Query the schedules by which a report is sent. */
export function schedulesOf(id: string) {
  return ofTeam(
    ["reports", "schedules", id],
    (request) => listSchedules({ path: { report_id: id }, ...request }),
    FRESH,
  );
}

/** Query the comments on a report, oldest first. */
export function comments(id: string) {
  return pagesOfTeam(["reports", "comments", id], (request) => listComments({ path: { report_id: id }, ...request }), {
    placeholderData: undefined,
  });
}
