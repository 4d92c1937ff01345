import type { Session } from "@/api/session";

/** An owner of a team, who may do everything. */
export const OWNER: Session = {
  signed_in: true,
  person: {
    person_id: "00000000-0000-4000-8000-00000000000a",
    name: "Ada",
    email: "ada@example.org",
    email_verified: true,
    has_password: true,
    proofs: ["password"],
    second_factor: false,
    recovery_codes: 0,
    identified: false,
  },
  team: { org_id: "00000000-0000-4000-8000-0000000000aa", name: "Storage", role: "owner" },
  teams: [{ org_id: "00000000-0000-4000-8000-0000000000aa", name: "Storage", role: "owner" }],
  permissions: [
    "catalogue.read",
    "plans.read",
    "plans.ask",
    "plans.write",
    "measurements.read",
    "measurements.write",
    "links.write",
    "tokens.write",
    "team.read",
    "team.write",
    "audit.read",
    "service.refresh",
    "runs.read",
    "runs.write",
    "runs.approve",
    "accounts.write",
    "reports.read",
    "reports.write",
    "comments.write",
  ],
  csrf: "csrf-of-ada",
  provider: null,
  mail: false,
  passwords: true,
  second_factor_needed: false,
};

export const VIEWER: Session = {
  ...OWNER,
  team: { org_id: "00000000-0000-4000-8000-0000000000aa", name: "Storage", role: "viewer" },
  permissions: [
    "catalogue.read",
    "plans.read",
    "measurements.read",
    "team.read",
    "tokens.write",
    "runs.read",
    "reports.read",
    "comments.write",
  ],
};

export const NOBODY: Session = {
  signed_in: false,
  person: null,
  team: null,
  teams: [],
  permissions: [],
  csrf: null,
  provider: null,
  mail: false,
  passwords: true,
  second_factor_needed: false,
};
