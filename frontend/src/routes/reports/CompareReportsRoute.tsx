import { useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { DifferencePage } from "@/features/reports/comparison/DifferencePage";
import { shown } from "@/lib/plainText";
import { NotFound } from "@/ui/links/NotFound";
import { backToReports, linkToReport } from "./reportLinks";

export function CompareReportsRoute() {
  const search = useSearch({ from: "/reports/compare" });
  if (!useMay("reports.read")) return <NotFound />;
  return (
    <DifferencePage
      search={search}
      linkTo={(id, words) => linkToReport(id, shown(words))}
      back={backToReports}
      missing={<NotFound what="One of these reports is not there, or belongs to another team." />}
    />
  );
}
