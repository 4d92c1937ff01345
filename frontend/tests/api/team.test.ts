import { QueryClient } from "@tanstack/react-query";
import { columnsOf } from "@tests/fixtures/columns";
import plan from "@tests/fixtures/plan.json";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import * as jobs from "@/api/jobs";
import { newKey, once } from "@/api/once";
import * as sweeps from "@/api/planning/sweeps";
import * as queries from "@/api/queries";
import { currentTeam, teamFrom } from "@/api/team";

const BASE = { workload: { data: "1 TB" } };
const AXIS = { quantity: "data" as const, values: ["1 TB"] };

const REQUESTS: [string, (client: QueryClient) => Promise<unknown>][] = [
  ["preview", (client) => client.fetchQuery(queries.preview(BASE))],
  ["prediction", (client) => client.fetchQuery(queries.prediction(BASE))],
  ["plans", (client) => client.fetchInfiniteQuery(queries.savedPlans("x"))],
  ["plan", (client) => client.fetchQuery(queries.savedPlan("1"))],
  ["save", () => queries.save(BASE, {})],
  ["duplicate", () => queries.duplicateSaved("1")],
  ["sweeps", (client) => client.fetchInfiniteQuery(sweeps.sweepList())],
  ["sweep", (client) => client.fetchQuery(sweeps.sweep("1"))],
  ["start", () => sweeps.start({ base: BASE, columns: AXIS, rows: AXIS })],
  ["job", (client) => client.fetchQuery(jobs.job("1"))],
];

const SAVED = { answer: plan };
const ANSWERS: Record<string, object> = {
  preview: columnsOf(plan as unknown as PlanAnswer),
  plan: SAVED,
  save: SAVED,
};

it.each(REQUESTS)("names the team of the address: %s", async (name, ask) => {
  for (const [address, expected] of [
    ["/?team=example", "example"],
    ["/?team=mars", null],
    ["/", null],
  ] as const) {
    window.history.replaceState(null, "", address);
    const asked = stubService();
    const answer = ask(new QueryClient({ defaultOptions: { queries: { retry: false } } }));
    await Promise.resolve();
    window.history.replaceState(null, "", "/");
    await until(() => asked.length > 0);
    asked[0]?.answer(200, ANSWERS[name] ?? {});
    await answer;
    expect(asked[0]?.search.get("team")).toBe(expected);
  }
});

it("names the team of the events too", () => {
  window.history.replaceState(null, "", "/?team=example");
  expect(jobs.eventsAddress("1")).toMatch(/\/jobs\/1\/events\?team=example$/);
  window.history.replaceState(null, "", "/");
  expect(jobs.eventsAddress("1")).toMatch(/\/jobs\/1\/events$/);
});

it("keeps the teams' answers apart", () => {
  const own = queries.savedPlan("1").queryKey;
  window.history.replaceState(null, "", "/?team=example");
  expect(queries.savedPlan("1").queryKey).not.toEqual(own);
  expect(currentTeam()).toBe("example");
});

it.each([undefined, null, 7, "", "EXAMPLE", ["example"], "constructor"])("takes %j for the own team", (text) => {
  expect(teamFrom(text)).toBe("local");
});

it("sends the same content under the same key until it is answered", async () => {
  const keys: string[] = [];
  const fails = once(["x"], (key) => Promise.reject(new Error(keys.push(key).toString())));
  await expect(fails).rejects.toThrow();
  await once(["x"], (key) => Promise.resolve(keys.push(key)));
  await once(["x"], (key) => Promise.resolve(keys.push(key)));
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
  expect(newKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
