import { Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { SweepsPage } from "@/features/sweeps/SweepsPage";
import { ExampleTeamLink } from "@/routes/layout/ExampleTeam";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function SweepsRoute() {
  const mayWrite = useMay("plans.write");
  return (
    <SweepsPage
      linkTo={(sweep) => (
        <Link to="/plans/scenarios/$sweepId" params={{ sweepId: sweep.id }}>
          {sweep.name}
        </Link>
      )}
      begin={
        mayWrite && (
          <ButtonLink to="/plans/scenarios/new" size="compact-sm">
            New sweep
          </ButtonLink>
        )
      }
      examples={
        <Group gap="sm">
          {mayWrite && (
            <ButtonLink to="/plans/scenarios/new" search={{ called: "What a deadline costs, by data size" }}>
              Load an example: 1 TB to 1 PB by deadline
            </ButtonLink>
          )}
          <ExampleTeamLink to="/plans/scenarios">Look at the example team</ExampleTeamLink>
        </Group>
      }
    />
  );
}
