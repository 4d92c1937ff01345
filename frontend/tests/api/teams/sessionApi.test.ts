import { QueryClient } from "@tanstack/react-query";
import { stubService, until } from "@tests/service";
import { OWNER, SIGNED_OUT, VIEWER } from "@tests/session";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { deletePlan, health } from "@/api/generated";
import * as queries from "@/api/queries";
import { adoptSession, adoptSignedOut, identityOf, installSession, mayIn, session } from "@/api/teams/session";

let client: QueryClient;
let uninstall: () => void;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  uninstall = installSession(client);
});

afterEach(() => uninstall());

const first = (asked: unknown[]) => until(() => asked.length > 0);

it("repeats the session's token in what changes something, as it is when it is sent", async () => {
  client.setQueryData(session.queryKey, OWNER);
  const asked = stubService();
  const removing = deletePlan({ path: { plan_id: "1" } });
  await first(asked);
  expect(asked[0]?.headers.get("X-CSRF-Token")).toBe("csrf-of-ada");
  asked[0]?.answer(200, {});
  await removing;
});

it("does not tell the token with requests that change nothing, or after signing out", async () => {
  client.setQueryData(session.queryKey, OWNER);
  const asked = stubService();
  const reading = client.fetchQuery(queries.savedPlan("1"));
  await first(asked);
  expect(asked[0]?.headers.has("X-CSRF-Token")).toBe(false);
  asked[0]?.answer(200, { answer: {} });
  await reading;
  adoptSignedOut(client);
  const later = stubService();
  const removing = deletePlan({ path: { plan_id: "1" } });
  await first(later);
  expect(later[0]?.headers.has("X-CSRF-Token")).toBe(false);
  later[0]?.answer(200, {});
  await removing;
});

it("looks after the session when something is refused, and drops all that was read when it is over", async () => {
  client.setQueryData(session.queryKey, OWNER);
  client.setQueryData(["plans", "local", "one", "1"], { name: "Confidential" });
  const asked = stubService();
  const reading = client.fetchQuery(queries.savedPlan("2")).catch((error: unknown) => error);
  await first(asked);
  asked[0]?.answer(401, { title: "Sign in first", detail: "You are not signed in." });
  await until(() => asked.length > 1);
  expect(asked[1]?.path).toMatch(/\/session$/);
  asked[1]?.answer(200, SIGNED_OUT);
  await reading;
  await until(() => client.getQueryData(session.queryKey)?.signed_in === false);
  expect(client.getQueryData(["plans", "local", "one", "1"])).toBeUndefined();
});

it("does not ask again if the visitor was signed out anyway", async () => {
  client.setQueryData(session.queryKey, SIGNED_OUT);
  const asked = stubService();
  const removing = deletePlan({ path: { plan_id: "1" } }).catch((error: unknown) => error);
  await first(asked);
  asked[0]?.answer(401, {});
  await removing;
  const next = deletePlan({ path: { plan_id: "2" } });
  await until(() => asked.some(({ path }) => path.endsWith("/plans/2")));
  expect(asked).toHaveLength(2);
  asked[1]?.answer(200, {});
  await next;
});

it.each([
  ["another person", { ...OWNER, person: { ...OWNER.person, person_id: "b" } }],
  ["another team", { ...OWNER, team: { ...OWNER.team, org_id: "b" } }],
  ["another role", VIEWER],
  ["a signed-out visitor", SIGNED_OUT],
])("forgets what was read before: %s", (_whom, next) => {
  client.setQueryData(session.queryKey, OWNER);
  client.setQueryData(["plans", "local", "list", ""], { pages: [] });
  adoptSession(client, next as typeof OWNER);
  expect(client.getQueryData(["plans", "local", "list", ""])).toBeUndefined();
  expect(client.getQueryData(session.queryKey)).toEqual(next);
});

it("keeps what was read where only a name or the token changed", () => {
  client.setQueryData(session.queryKey, OWNER);
  client.setQueryData(["catalogs"], []);
  adoptSession(client, { ...OWNER, csrf: "next" });
  expect(client.getQueryData(["catalogs"])).toEqual([]);
  expect(identityOf(SIGNED_OUT)).toBe("signed out");
});

it("grants a visitor's permissions in the example team, for every role in the own team", () => {
  expect(mayIn("example", OWNER, "plans.write")).toBe(false);
  expect(mayIn("example", VIEWER, "plans.ask")).toBe(true);
  expect(mayIn("local", VIEWER, "plans.ask")).toBe(false);
  expect(mayIn("local", OWNER, "team.write")).toBe(true);
  expect(mayIn("example", SIGNED_OUT, "plans.read")).toBe(false);
  expect(mayIn("local", undefined, "plans.read")).toBe(false);
});

it("knows when the next attempt counts", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const response = new Response("{}", { status: 429, headers: { "Retry-After": "32" } });
  vi.stubGlobal("fetch", () => Promise.resolve(response));
  const error: unknown = await health().catch((thrown: unknown) => thrown);
  expect(error).toHaveProperty("status", 429);
  expect(error).toHaveProperty("retryAt_ms", Date.now() + 32_000);
});
