// Names of roles, and password requirements.

import type { Role } from "@/api/teams/session";

/** Names and permissions of the roles. */
export const ROLE_WORDS: Record<Role, { name: string; may: string }> = {
  owner: { name: "Owner", may: "everything, and who is in the team" },
  planner: { name: "Planner", may: "plan, save, share and agree to what runs cost" },
  contributor: { name: "Contributor", may: "read, upload measurements and ask for benchmark runs" },
  viewer: { name: "Viewer", may: "read what is saved" },
};

/** Return a role with its article: `an owner`, `a planner`. */
export function asRole(role: Role): string {
  return `${role === "owner" ? "an" : "a"} ${role}`;
}

export const PASSWORD_ADVICE =
  "12 characters or more; three or four words that have nothing to do with each other do well.";
