import { Button, Group } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { ReportsPage } from "@/features/reports/ReportsPage";
import { shown } from "@/lib/plainText";
import { ExampleTeamLink } from "@/routes/layout/ExampleTeam";
import { NotFound } from "@/routes/layout/NotFound";
import { compareReports, linkToReport } from "./reportLinks";

export function ReportsRoute() {
  const search = useSearch({ from: "/reports" });
  const navigate = useNavigate({ from: "/reports" });
  const mayWrite = useMay("reports.write");
  if (!useMay("reports.read")) return <NotFound />;
  return (
    <ReportsPage
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
      linkTo={({ id, title }) => linkToReport(id, shown(title))}
      compare={compareReports}
      begin={
        mayWrite && (
          <Button size="compact-sm" renderRoot={(props) => <Link to="/reports/new" {...props} />}>
            New report
          </Button>
        )
      }
      start={
        <Group gap="sm">
          {mayWrite && (
            <Button renderRoot={(props) => <Link to="/reports/new" search={{ validation: "published" }} {...props} />}>
              Begin with one of the validation
            </Button>
          )}
          <ExampleTeamLink to="/reports">Read the example team’s</ExampleTeamLink>
        </Group>
      }
    />
  );
}
