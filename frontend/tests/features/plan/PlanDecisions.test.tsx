import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { columnsOf } from "@tests/fixtures/columns";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { useState } from "react";
import { expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { PlanPage } from "@/features/plan/PlanPage";
import { type Search, searchFrom } from "@/features/plan/workload/choice";

const [first] = plan.configurations;
const PIN = "124-i2.8xlarge-own";
const ASKED = { deadline: "1 h", nodes: "1000", network: "unlimited" };
const COPIES = { ...ASKED, durability: "application" };

/** The page over an address that is kept in memory; the service answers by what the workload keeps in copies. */
function open(begun: Search) {
  const asked = stubService();
  const heard = { search: begun, saved: "" };
  function Page() {
    const [search, setSearch] = useState(begun);
    return (
      <PlanPage
        search={search}
        onSearch={(change) =>
          setSearch((before) => {
            heard.search = searchFrom(change(before));
            return heard.search;
          })
        }
        onSaved={(id) => {
          heard.saved = id;
        }}
      />
    );
  }
  render(<Page />, { wrapper: Surroundings });
  const to = (path: string) => asked.filter((one) => one.path.endsWith(path) && !one.isRead());
  return { asked, heard, to };
}

type Asked = ReturnType<typeof stubService>[number];

const durabilityOf = ({ body }: Asked) =>
  (body as { workload: { durability?: { model: string } } }).workload.durability?.model ?? "none";
/** What a prediction costs by its durability, as nothing else of the fixture does. */
const USD: Record<string, number> = { none: 25.2, application: 29.8, infrastructure: 61, "object-store": 44 };

function answerPlan(one: Asked) {
  const durability = durabilityOf(one);
  const { workload } = one.body as { workload: object };
  const usd = USD[durability] ?? 0;
  const best = { ...first, instance: "i3.large", nodes: 7, cost_usd: { p10: usd, p50: usd, p90: usd } };
  const configurations = durability === "infrastructure" ? [] : [best];
  const sentence = configurations.length === 0 ? "Nothing fits on EBS." : plan.sentence;
  const asked = { ...plan.workload, workload: { framework: null, ...workload } };
  const answer = { ...plan, sentence, configurations, workload: asked } as unknown as PlanAnswer;
  act(() => one.answer(200, columnsOf(answer)));
}

function answerPrediction(one: Asked) {
  const usd = USD[durabilityOf(one)] ?? 0;
  const of = { ...first, ...(one.body as { cluster: object }).cluster };
  act(() => one.answer(200, { ...of, feasible: true, sentence: "", cost_usd: { p10: usd, p50: usd, p90: usd } }));
}

const compared = () => screen.findByRole("table", { name: "Compare" });
const costs = async () =>
  within(within(await compared()).getByRole("row", { name: /^Cost / }))
    .getAllByRole("cell")
    .map((cell) => /^(?:\$[\d.]+|—)/.exec(cell.textContent ?? "")?.[0]);

it("keeps a pin and today's what they are when the form asks for another durability", async () => {
  const { heard, to } = open({ ...COPIES, pins: PIN, today: "130-i2.8xlarge-own" });
  await waitFor(() => expect(to("/plans/preview/columns")).toHaveLength(1));
  to("/plans/preview/columns").forEach(answerPlan);
  await waitFor(() => expect(to("/predictions")).toHaveLength(2));
  to("/predictions").forEach(answerPrediction);
  await waitFor(async () => expect(await costs()).toEqual(["$29.80", "$29.80"]));
  expect(within(await compared()).queryByText("2 copies")).toBeNull();
  const user = userEvent.setup();
  await user.click(screen.getByRole("radio", { name: /^Amazon S3/ }));
  const own = "*durability-application*replicas-2";
  await waitFor(() =>
    expect(heard.search).toEqual({
      ...ASKED,
      durability: "object-store",
      pins: `${PIN}${own}`,
      today: `130-i2.8xlarge-own${own}`,
    }),
  );
  await waitFor(() => expect(to("/plans/preview/columns").map(durabilityOf)).toContain("object-store"));
  to("/plans/preview/columns").forEach(answerPlan);
  await waitFor(() => expect(screen.getAllByText("2 copies", { selector: "th div" })).toHaveLength(2));
  // Not asked again: the question is the same.
  expect(to("/predictions").map(durabilityOf)).toEqual([]);
  expect(await costs()).toEqual(["$29.80", "$29.80"]);
  expect(screen.getByTestId("today-says").textContent).toBe("Today (2 copies): 59 min 54 s for $29.80 a run.");
  // The form says in how many copies today's data is kept, and changes that alone.
  await user.click(screen.getByText("Storage, measured time"));
  await user.selectOptions(await screen.findByRole("combobox", { name: "Copies today" }), "One copy");
  await waitFor(() => expect(heard.search.today).toBe("130-i2.8xlarge-own*durability-none"));
  expect(heard.search.pins).toBe(`${PIN}${own}`);
  await waitFor(() => expect(to("/predictions").map(durabilityOf)).toEqual(["none"]));
});

it("puts the best of each durability side by side at one click, to be pinned with it", async () => {
  const { heard, to } = open(ASKED);
  await waitFor(() => expect(to("/plans/preview/columns")).toHaveLength(1));
  to("/plans/preview/columns").forEach(answerPlan);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Compare durabilities" }));
  expect(heard.search.durabilities).toBe("side");
  const others = ["application", "infrastructure", "object-store"];
  await waitFor(() => {
    const seeking = to("/plans/preview/columns").filter(({ body }) => (body as { place?: object }).place !== undefined);
    expect(seeking.map(durabilityOf)).toEqual(expect.arrayContaining(others));
  });
  to("/plans/preview/columns").forEach(answerPlan);
  await waitFor(async () => expect(await costs()).toEqual(["$25.20", "$29.80", "—", "$44"]));
  const table = await compared();
  const heads = within(table)
    .getAllByRole("columnheader")
    .map((head) => head.textContent);
  expect(heads[1]).toContain("own disks 7 × i3.large");
  expect(heads[2]).toContain("2 copies 7 × i3.large");
  expect(heads[3]).toContain("Nothing fits on EBS.");
  expect(heads[4]).toContain("S3 7 × i3.large");
  for (const figure of ["Time", "Cost", "Meets the deadline", "Chance of loss"]) {
    within(table).getByRole("row", { name: new RegExp(`^${figure}`) });
  }
  await user.click(within(table).getByRole("button", { name: "Pin 7 × i3.large, 2 copies" }));
  await waitFor(() => expect(heard.search.pins).toBe("7-i3.large-2-2*durability-application*replicas-2"));
  await user.click(screen.getByRole("button", { name: "Hide durabilities" }));
  expect(heard.search.durabilities).toBeUndefined();
});

it("saves today's, the pins with their own question, and notes with the plan", async () => {
  const { asked, heard, to } = open({
    ...ASKED,
    pins: `${PIN}*durability-application*replicas-2`,
    today: "130-i2.8xlarge-own",
    pays: "$2,950",
  });
  await waitFor(() => expect(to("/plans/preview/columns")).toHaveLength(1));
  to("/plans/preview/columns").forEach(answerPlan);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Save plan" }));
  await user.click(screen.getByRole("textbox", { name: "Notes (optional)" }));
  await user.paste("Ask Ada.");
  await user.click(screen.getByRole("button", { name: "Save" }));
  const sent = () => asked.find(({ path }) => path.endsWith("/v1/plans/columns"));
  await waitFor(() => expect(sent()).toBeDefined());
  const cluster = { instance: "i2.8xlarge", storage: { kind: "instance-store" } };
  const question = { limits: { deadline: "1 h", max_nodes: 1000 }, assume: { network: "unlimited" } };
  expect(sent()?.body).toEqual({
    ...question,
    workload: { data: "100 TB" },
    decided: {
      today: { ...cluster, nodes: 130, durability: null, cost_per_month: "$2,950" },
      pins: [
        {
          ...question,
          workload: { data: "100 TB", durability: { model: "application", replicas: 2 } },
          cluster: { ...cluster, nodes: 124 },
        },
      ],
      durabilities: false,
      notes: "Ask Ada.",
    },
  });
  const errors = [{ path: "decided.pins.0.cluster.instance", message: "'i2.8xlarge' is not an instance type" }];
  act(() => sent()?.answer(422, { type: "about:blank", title: "", detail: "", status: 422, errors }));
  await screen.findByText("Pin 1: 'i2.8xlarge' is not an instance type");
  expect(heard.saved).toBe("");
});

it("states the cost of the current cluster as always on at one click, and back", async () => {
  const { heard, to } = open({ ...ASKED, today: "130-i2.8xlarge-own" });
  await waitFor(() => expect(to("/plans/preview/columns")).toHaveLength(1));
  to("/plans/preview/columns").forEach(answerPlan);
  await waitFor(() => expect(to("/predictions")).toHaveLength(1));
  const [one] = to("/predictions") as [Asked];
  const of = { ...first, ...(one.body as { cluster: object }).cluster };
  const [run, month] = [2.5, 75].map((usd) => ({ p10: usd, p50: usd, p90: usd }));
  const costs = { cost_usd: run, cost_per_month_usd: month, cost_always_on_usd: 5_400 };
  act(() => one.answer(200, { ...of, ...costs, feasible: true, sentence: "" }));
  const billed = async () => (await screen.findByTestId("today-billed")).textContent;
  expect(await billed()).toBe("Assumed: billed for its runs only, $75 a month at 30 runs. Always on: $5,400 a month");
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Always on: $5,400 a month" }));
  await waitFor(() => expect(heard.search.pays).toBe("5400 USD"));
  expect(await billed()).toBe("Assumed: always on. Billed for its runs only");
  const paid = screen.getByRole<HTMLInputElement>("textbox", { name: "Cost a month, if you know it" });
  expect(paid.value).toBe("5400 USD");
  await user.clear(paid);
  await user.type(paid, "3000 USD");
  expect(await billed()).toMatch(/^Assumed: the monthly cost that you entered\./);
  await user.click(screen.getByRole("button", { name: "Billed for its runs only" }));
  await waitFor(() => expect(heard.search.pays).toBeUndefined());
  expect(await billed()).toMatch(/^Assumed: billed for its runs only/);
});
