// Session: the signed-in person and their permissions, as cached from `GET /session`.

import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { readSession, type SessionAnswer } from "@/api/generated";
import { client as service } from "@/api/generated/client.gen";
import { ApiProblem } from "@/api/problem";
import { retryUnreachable } from "@/api/requests";
import { currentTeam, type Team } from "@/api/team";

export type Session = SessionAnswer;
export type Permission = SessionAnswer["permissions"][number];
export type Role = NonNullable<SessionAnswer["team"]>["role"];

/** Polling interval of the session, which also renews an old cookie [ms]. */
const LOOK_EVERY_MS = 300_000;

/** While the first page is drawn, its parts share one response [ms]. */
const JUST_READ_MS = 2_000;

/** In the example team all people are visitors, regardless of their role in their own team. */
const VISITOR: readonly Permission[] = [
  "catalog.read",
  "plans.read",
  "plans.ask",
  "measurements.read",
  "runs.read",
  "reports.read",
];

const CSRF = "X-CSRF-Token";
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

export const session = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal, client }): Promise<Session> => {
    const now = await readSession({ signal });
    forgetOfOthers(client, now);
    return now;
  },
  staleTime: JUST_READ_MS,
  gcTime: Number.POSITIVE_INFINITY,
  refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
});

/** Return a key for the reader: person, team and role. */
export function identityOf({ person, team }: Pick<Session, "person" | "team">): string {
  return person === null ? "signed out" : `${person.person_id} ${team?.org_id ?? "no team"} ${team?.role ?? ""}`;
}

/** Remove data cached for another person: cache keys contain the team of the URL, but not the reader. */
function forgetOfOthers(client: QueryClient, now: Session): void {
  const before = client.getQueryData(session.queryKey);
  if (before === undefined || identityOf(before) === identityOf(now)) return;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session.queryKey[0] });
  client.getMutationCache().clear();
}

/** Store a session from a response: after signing in, joining, or switching teams. */
export function adoptSession(client: QueryClient, now: Session): void {
  // Pending requests belong to the previous session.
  void client.cancelQueries({ queryKey: session.queryKey });
  forgetOfOthers(client, now);
  client.setQueryData(session.queryKey, now);
}

/** Store a signed-out session; the sign-in methods are kept. */
export function adoptSignedOut(client: QueryClient): void {
  const { provider = null, mail = false, passwords = true } = client.getQueryData(session.queryKey) ?? {};
  const signedOut = {
    signed_in: false,
    person: null,
    team: null,
    teams: [],
    permissions: [],
    csrf: null,
    second_factor_needed: false,
    passkey_fits: false,
  };
  adoptSession(client, { ...signedOut, provider, mail, passwords });
}

/**
 * Add the session's CSRF token to mutating requests, and refetch the session after status 401.
 *
 * The token is read when a request is sent, not when it is created: the person may have signed in meanwhile.
 *
 * @returns function that removes both interceptors
 */
export function installSession(client: QueryClient): () => void {
  const repeat = service.interceptors.request.use((request) => {
    const csrf = client.getQueryData(session.queryKey)?.csrf;
    if (!SAFE.has(request.method) && typeof csrf === "string") request.headers.set(CSRF, csrf);
    return request;
  });
  const look = service.interceptors.error.use((error: unknown) => {
    // A wrong password is a 401 too: the session shows if the reader is signed in.
    const before = client.getQueryData(session.queryKey);
    const refused = error instanceof ApiProblem && error.status === 401;
    if (refused && before?.signed_in === true) client.fetchQuery({ ...session, staleTime: 0 }).catch(() => undefined);
    return error;
  });
  return () => {
    service.interceptors.request.eject(repeat);
    service.interceptors.error.eject(look);
  };
}

/** Return the cached session without fetching it. */
export function useSession(): Session | undefined {
  return useQuery({ ...session, enabled: false }).data;
}

/** Check a permission of the reader in the team of the URL. */
export function useMay(permission: Permission): boolean {
  return mayIn(currentTeam(), useSession(), permission);
}

export function mayIn(team: Team, now: Session | undefined, permission: Permission): boolean {
  if (now?.signed_in !== true) return false;
  return (team === "example" ? VISITOR : now.permissions).includes(permission);
}

/** Return a function that stores a session from a response. */
export function useAdopt(): (now: Session) => void {
  const client = useQueryClient();
  return (now) => adoptSession(client, now);
}
