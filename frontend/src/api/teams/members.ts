// The team of the session: always the reader's own, even if the URL names another one.

import { queryOptions } from "@tanstack/react-query";
import {
  changeRole,
  deleteTeam,
  type InvitationAnswer,
  type InvitationRow,
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
import { retryUnreachable } from "@/api/queries";
import type { Role } from "./session";

export type { InvitationAnswer, InvitationRow, Invite, MemberAnswer, QuotaAnswer, SentLink, TeamDetails };

export const ROLES: readonly Role[] = ["owner", "planner", "contributor", "viewer"];

export const teamKey = ["team"];

export const team = queryOptions({
  queryKey: [...teamKey, "details"],
  queryFn: ({ signal }) => answered(readTeam({ signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

export const members = queryOptions({
  queryKey: [...teamKey, "members"],
  queryFn: ({ signal }) => answered(listMembers({ signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

export const quotas = queryOptions({
  queryKey: [...teamKey, "quotas"],
  queryFn: ({ signal }) => answered(readQuotas({ signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

export const invitations = queryOptions({
  queryKey: [...teamKey, "invitations"],
  queryFn: ({ signal }) => answered(listInvitations({ signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

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
