// Tokens for programs, and share links of plans, sweeps and reports.

import { type LinkRow, listLinks, listTokens, type NewToken, readShared } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { FRESH, requested } from "@/api/requests";

export type Scope = NewToken["scopes"][number];
export type LinkKind = LinkRow["kind"];

export const tokens = requested(["tokens"], listTokens, FRESH);

export function linksOf(kind: LinkKind, objectId: string) {
  return requested(
    ["links", kind, objectId],
    (request) => listLinks({ query: { kind, object_id: objectId }, ...request }),
    FRESH,
  );
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
