import { Group } from "@mantine/core";
import { useMay } from "@/api/teams/session";
import { ReportsPage } from "@/features/reports/ReportsPage";
import { shown } from "@/lib/plainText";
import { ExampleTeamLink } from "@/routes/layout/ExampleTeam";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";
import { compareReports, linkToReport } from "./reportLinks";

export function ReportsRoute() {
  const address = useAddress("/reports");
  const mayWrite = useMay("reports.write");
  if (!useMay("reports.read")) return <NotFound />;
  return (
    <ReportsPage
      {...address}
      linkTo={({ id, title }) => linkToReport(id, shown(title))}
      compare={compareReports}
      begin={
        mayWrite && (
          <ButtonLink to="/reports/new" size="compact-sm">
            New report
          </ButtonLink>
        )
      }
      start={
        <Group gap="sm">
          {mayWrite && (
            <ButtonLink to="/reports/new" search={{ validation: "published" }}>
              Begin with a report of model accuracy
            </ButtonLink>
          )}
          <ExampleTeamLink to="/reports">Read the example team’s</ExampleTeamLink>
        </Group>
      }
    />
  );
}
