// Tokens for programs, and share links of plans, sweeps and reports.

import {
  type LinkRow,
  listLinks,
  listTokens,
  makeLink,
  makeToken,
  type NewToken,
  readShared,
  revokeLink,
  revokeToken,
  type SharedAnswer,
  type TokenAnswer,
  type TokenRow,
  unlockShared,
} from "@/api/generated";
import { ApiProblem, answered } from "@/api/problem";
import { FRESH, requested } from "@/api/requests";

export type { LinkRow, NewToken, SharedAnswer, TokenAnswer, TokenRow };
export type Scope = NewToken["scopes"][number];
export type LinkKind = LinkRow["kind"];

export const tokens = requested(["tokens"], listTokens, FRESH);

export function newToken(asked: NewToken) {
  return answered(makeToken({ body: asked }));
}

export function endToken(id: string) {
  return answered(revokeToken({ path: { token_id: id } }));
}

export function linksOf(kind: LinkKind, objectId: string) {
  return requested(
    ["links", kind, objectId],
    (request) => listLinks({ query: { kind, object_id: objectId }, ...request }),
    FRESH,
  );
}

/**
 * @param password password that the link requires; empty for none
 */
export function share(kind: LinkKind, objectId: string, days: number, password = "") {
  return answered(makeLink({ body: { kind, object_id: objectId, days, password: password === "" ? null : password } }));
}

export function endLink(id: string) {
  return answered(revokeLink({ path: { link_id: id } }));
}

/** Unlock a link with its password; this browser stays unlocked for some hours. */
export function unlock(secret: string, password: string) {
  return answered(unlockShared({ path: { secret }, body: { password } }));
}

/** Check if an error means that a link requires its password. */
export function isLocked(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401 && error.type.endsWith("password-needed");
}

/** Query the content of a share link. Views are counted, so refocusing the page must not refetch. */
export function shared(secret: string) {
  return requested(["shared", secret], (request) => readShared({ path: { secret }, ...request }), {
    staleTime: Number.POSITIVE_INFINITY,
  });
}
