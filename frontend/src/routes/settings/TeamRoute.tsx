import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { session, useMay } from "@/api/teams/session";
import { TeamPage } from "@/features/team/TeamPage";
import { NotFound } from "@/ui/links/NotFound";

export function TeamRoute() {
  const client = useQueryClient();
  const navigate = useNavigate();
  if (!useMay("team.read")) return <NotFound />;
  return (
    <TeamPage
      onGone={async () => {
        await navigate({ to: "/", search: {} });
        await client.refetchQueries(session);
      }}
    />
  );
}
