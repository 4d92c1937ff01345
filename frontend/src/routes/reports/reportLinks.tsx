import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import type { NewReportSearch } from "@/features/reports/search";

export function linkToReport(id: string, words: string) {
  return (
    <Link to="/reports/$reportId" params={{ reportId: id }}>
      <bdi>{words}</bdi>
    </Link>
  );
}

export function compareReports(older: string, newer: string) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      renderRoot={(props) => <Link to="/reports/compare" search={{ old: older, new: newer }} {...props} />}
    >
      Compare the two
    </Button>
  );
}

export const backToReports = (
  <Button variant="default" size="compact-sm" renderRoot={(props) => <Link to="/reports" {...props} />}>
    All reports
  </Button>
);

interface ReportButtonProps {
  of: NewReportSearch;
  words?: string;
}

/** Render a link to the composer, for people who may publish. */
export function ReportButton({ of, words = "Report" }: ReportButtonProps) {
  if (!useMay("reports.write")) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      className="no-print"
      renderRoot={(props) => <Link to="/reports/new" search={of} {...props} />}
    >
      {words}
    </Button>
  );
}
