// The team of the session: always the reader's own, even if the URL names another one.

import {
  changeRole,
  deleteTeam,
  type Invitation,
  type InvitationAnswer,
  type Invite,
  leaveTeam,
  listInvitations,
  listMembers,
  type MemberAnswer,
  type QuotaAnswer,
  readQuotas,
  readTeam,
  removeMember,
  renameTeam,
  resetForMember,
  type SentLink,
  invite as sendInvitation,
  type TeamDetails,
  withdrawInvitation,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { FRESH, requested } from "@/api/requests";
import type { Role } from "./session";

export type { Invitation, InvitationAnswer, Invite, MemberAnswer, QuotaAnswer, SentLink, TeamDetails };

export const ROLES: readonly Role[] = ["owner", "planner", "contributor", "viewer"];

export const teamKey = ["team"];

export const team = requested([...teamKey, "details"], readTeam, FRESH);

export const members = requested([...teamKey, "members"], listMembers, FRESH);

export const quotas = requested([...teamKey, "quotas"], readQuotas, FRESH);

export const invitations = requested([...teamKey, "invitations"], listInvitations, FRESH);

export function nameTeam(name: string) {
  return answered(renameTeam({ body: { name } }));
}

export function giveRole(personId: string, role: Role) {
  return answered(changeRole({ path: { person_id: personId }, body: { role } }));
}

export function takeOut(personId: string) {
  return answered(removeMember({ path: { person_id: personId } }));
}

export function resetLink(personId: string) {
  return answered(resetForMember({ path: { person_id: personId } }));
}

export function invite(whom: Invite) {
  return answered(sendInvitation({ body: whom }));
}

export function withdraw(invitationId: string) {
  return answered(withdrawInvitation({ path: { invitation_id: invitationId } }));
}

export function leave() {
  return answered(leaveTeam());
}

/** Delete the team and all its data, permanently. */
export function deleteAll(name: string) {
  return answered(deleteTeam({ body: { name } }));
}
