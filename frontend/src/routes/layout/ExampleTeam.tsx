import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { teamFrom } from "@/api/team";
import { teams } from "@/api/teams/teams";
import { ButtonLink } from "@/ui/links/ButtonLink";

/** Return the team in the URL. */
export function useTeam() {
  const { team } = useSearch({ strict: false });
  return teamFrom(team);
}

/** Check if the example team has content and is not already displayed. */
export function useExampleOffered(): boolean {
  const { data } = useQuery(teams);
  const here = useTeam();
  const example = data?.find(({ key }) => key === "example");
  return here !== "example" && example !== undefined && example.plans + example.sweeps > 0;
}

/** Render a link to the example team, if it has content. */
export function ExampleTeamLink({
  to,
  children,
}: {
  to: "/" | "/plans" | "/plans/scenarios" | "/reports";
  children: ReactNode;
}) {
  if (!useExampleOffered()) return null;
  return (
    <ButtonLink to={to} search={{ team: "example" }} variant="default">
      {children}
    </ButtonLink>
  );
}
