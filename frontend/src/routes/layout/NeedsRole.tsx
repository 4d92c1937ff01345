import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { currentTeam } from "@/api/team";
import { members } from "@/api/teams/members";
import { type Role, useMay, useSession } from "@/api/teams/session";

interface NeedsRoleProps {
  /** Action that requires the role: `rank configurations`. */
  to: string;
  needs: Role;
  /** Description of the workload in the URL. */
  asked?: ReactNode;
}

const A_ROLE: Record<Role, string> = {
  owner: "an owner",
  planner: "a planner",
  contributor: "a contributor",
  viewer: "a viewer",
};

const HEADING = { margin: "0 0 8px", fontSize: "var(--mantine-font-size-xl)" };

/** Render a notice for a page that the reader's role does not allow: the required role, and who can grant it. */
export function NeedsRole({ to, needs, asked }: NeedsRoleProps) {
  const team = useSession()?.team;
  const mayRead = useMay("plans.read");
  const owners = (useQuery({ ...members, enabled: useMay("team.read") }).data?.members ?? [])
    .filter((member) => member.role === "owner")
    .map((member) => member.name);
  if (currentTeam() === "example") {
    return (
      <section className="card" data-testid="needs-role">
        <h1 style={HEADING}>The example team is read-only</h1>
        <p style={{ marginBottom: 0 }}>
          To {to}, go back to your own team.{" "}
          <Link to="/plans" search={{ team: undefined }}>
            Back to your own plans
          </Link>
        </p>
      </section>
    );
  }
  return (
    <section className="card" data-testid="needs-role">
      <h1 style={HEADING}>Your role does not allow this</h1>
      <p>
        To {to} you need to be {A_ROLE[needs]}
        {team && ` of ${team.name}, where you are ${A_ROLE[team.role]}`}.{" "}
        {owners.length === 0
          ? "An owner of the team can give you the role."
          : `Ask ${owners.join(" or ")}, who can give you the role.`}
      </p>
      {asked}
      {mayRead && (
        <p style={{ marginBottom: 0 }}>
          You can read the <Link to="/plans">saved plans</Link>.
        </p>
      )}
    </section>
  );
}
