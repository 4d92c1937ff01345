import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { SweepsPage } from "@/features/sweeps/SweepsPage";
import { ExampleTeamLink } from "@/routes/layout/ExampleTeam";

export function SweepsRoute() {
  const mayWrite = useMay("plans.write");
  return (
    <SweepsPage
      linkTo={(sweep) => (
        <Link to="/sweeps/$sweepId" params={{ sweepId: sweep.id }}>
          {sweep.name}
        </Link>
      )}
      begin={
        mayWrite && (
          <Button size="compact-sm" renderRoot={(props) => <Link to="/sweeps/new" {...props} />}>
            New sweep
          </Button>
        )
      }
      examples={
        <Group gap="sm">
          {mayWrite && (
            <Button
              renderRoot={(props) => (
                <Link to="/sweeps/new" search={{ called: "What a deadline costs, by data size" }} {...props} />
              )}
            >
              Load an example: 1 TB to 1 PB by deadline
            </Button>
          )}
          <ExampleTeamLink to="/sweeps">Look at the example team</ExampleTeamLink>
        </Group>
      }
    />
  );
}
