import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { session, useMay } from "@/api/teams/session";
import { TeamPage } from "@/features/team/TeamPage";
import { NotFound } from "@/routes/layout/NotFound";

export function TeamRoute() {
  const client = useQueryClient();
  const navigate = useNavigate();
  if (!useMay("team.read")) return <NotFound />;
  return (
    <TeamPage
      recordLink={
        <Button variant="default" size="compact-sm" renderRoot={(props) => <Link to="/team/audit-log" {...props} />}>
          Audit log
        </Button>
      }
      onGone={async () => {
        await navigate({ to: "/", search: {} });
        await client.refetchQueries(session);
      }}
    />
  );
}
