import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { teamFrom } from "@/api/team";
import { teams } from "@/api/teams/teams";

/** The team of the address. */
export function useTeam() {
  const { team } = useSearch({ strict: false });
  return teamFrom(team);
}

/** Whether there is an example to look at, and the reader does not look at it already. */
export function useExampleOffered(): boolean {
  const { data } = useQuery(teams);
  const here = useTeam();
  const example = data?.find(({ key }) => key === "example");
  return here !== "example" && example !== undefined && example.plans + example.sweeps > 0;
}

/** Leads to the example team, where it has something to show. */
export function ExampleTeamLink({ to, children }: { to: "/plans" | "/sweeps" | "/reports"; children: ReactNode }) {
  if (!useExampleOffered()) return null;
  return (
    <Button variant="default" renderRoot={(props) => <Link to={to} search={{ team: "example" }} {...props} />}>
      {children}
    </Button>
  );
}
