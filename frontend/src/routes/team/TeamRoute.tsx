import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { session, useMay } from "@/api/teams/session";
import { TeamPage } from "@/features/team/TeamPage";
import { ButtonLink } from "@/routes/layout/ButtonLink";
import { NotFound } from "@/routes/layout/NotFound";

export function TeamRoute() {
  const client = useQueryClient();
  const navigate = useNavigate();
  if (!useMay("team.read")) return <NotFound />;
  return (
    <TeamPage
      recordLink={
        <ButtonLink to="/team/audit-log" variant="default" size="compact-sm">
          Audit log
        </ButtonLink>
      }
      onGone={async () => {
        await navigate({ to: "/", search: {} });
        await client.refetchQueries(session);
      }}
    />
  );
}
