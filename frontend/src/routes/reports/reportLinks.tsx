import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import type { NewReportSearch } from "@/features/reports/search";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function linkToReport(id: string, words: string) {
  return (
    <Link to="/reports/$reportId" params={{ reportId: id }}>
      <bdi>{words}</bdi>
    </Link>
  );
}

export function compareReports(older: string, newer: string) {
  return (
    <ButtonLink to="/reports/compare" search={{ old: older, new: newer }} variant="default" size="compact-sm">
      Compare the two
    </ButtonLink>
  );
}

export const backToReports = (
  <ButtonLink to="/reports" variant="default" size="compact-sm">
    All reports
  </ButtonLink>
);

interface ReportButtonProps {
  of: NewReportSearch;
  words?: string;
}

/** Render a link to the composer, for people who may publish. */
export function ReportButton({ of, words = "Report" }: ReportButtonProps) {
  if (!useMay("reports.write")) return null;
  return (
    <ButtonLink to="/reports/new" search={of} variant="default" size="compact-sm" className="no-print">
      {words}
    </ButtonLink>
  );
}
