// What lets others in: tokens for programs, links to one plan or sweep.

import { queryOptions } from "@tanstack/react-query";
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
} from "./generated";
import { answered } from "./problem";
import { retryUnreachable } from "./queries";

export type { LinkRow, NewToken, SharedAnswer, TokenAnswer, TokenRow };
export type Scope = NewToken["scopes"][number];
export type LinkKind = LinkRow["kind"];

export const tokens = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) => answered(listTokens({ signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

export function newToken(asked: NewToken) {
  return answered(makeToken({ body: asked }));
}

export function endToken(id: string) {
  return answered(revokeToken({ path: { token_id: id } }));
}

export function linksOf(kind: LinkKind, objectId: string) {
  return queryOptions({
    queryKey: ["links", kind, objectId],
    queryFn: ({ signal }) => answered(listLinks({ query: { kind, object_id: objectId }, signal })),
    staleTime: 0,
    refetchInterval: retryUnreachable,
  });
}

export function share(kind: LinkKind, objectId: string, days: number) {
  return answered(makeLink({ body: { kind, object_id: objectId, days } }));
}

export function endLink(id: string) {
  return answered(revokeLink({ path: { link_id: id } }));
}

/** What a share link shows. Each look is counted, so that none is wasted on a page that only has the focus again. */
export function shared(secret: string) {
  return queryOptions({
    queryKey: ["shared", secret],
    queryFn: ({ signal }) => answered(readShared({ path: { secret }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: retryUnreachable,
  });
}
