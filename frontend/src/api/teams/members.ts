// The team of the session: always the reader's own, even if the URL names another one.

import { listInvitations, listMembers, readLoad, readQuotas, readTeam } from "@/api/generated";
import { FRESH, requested } from "@/api/requests";
import type { Role } from "./session";

export const ROLES: readonly Role[] = ["owner", "planner", "contributor", "viewer"];

export const teamKey = ["team"];

export const team = requested([...teamKey, "details"], readTeam, FRESH);

export const members = requested([...teamKey, "members"], listMembers, FRESH);

export const quotas = requested([...teamKey, "quotas"], readQuotas, FRESH);

const LOOK_EVERY_MS = 5_000;

/** Load of the team on the service, read again while the page is visible. */
export const load = requested([...teamKey, "load"], readLoad, { ...FRESH, refetchInterval: LOOK_EVERY_MS });

export const invitations = requested([...teamKey, "invitations"], listInvitations, FRESH);
