import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
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

/** The page over an address that is kept in memory. */
function Addressed({ first, seen }: { first: Search; seen: Search[] }) {
  const [search, setSearch] = useState(first);
  return (
    <PlanPage
      search={search}
      onSearch={(change) =>
        setSearch((before) => {
          const next = searchFrom(change(before));
          seen.push(next);
          return next;
        })
      }
      onSaved={() => undefined}
    />
  );
}

function open(first: Search) {
  const asked = stubService();
  const seen: Search[] = [];
  render(<Addressed first={first} seen={seen} />, { wrapper: Surroundings });
  const previews = () => asked.filter(({ path }) => path.endsWith("/preview/columns"));
  const rankings = () => asked.filter(({ path }) => path.endsWith("/preview/ranking"));
  const predictions = () => asked.filter(({ path }) => path.endsWith("/predictions"));
  return { previews, rankings, predictions, seen };
}

const ANSWER = plan as unknown as PlanAnswer;

const NOTHING = {
  ...plan,
  sentence: "No configuration sorts 100 TB within 1 s.",
  configurations: [],
  frontier: [],
  curves: [],
  near_misses: [
    {
      limits: ["deadline", "max nodes"],
      needs: { deadline: "3 min 12 s", max_nodes: "1000" },
      relaxation: "a deadline of 3 min 12 s and 1,000 nodes",
      candidate: plan.frontier[0],
      sentence: "1,000 × i2.8xlarge would need a deadline of 3 min 12 s and 1,000 nodes.",
    },
  ],
} as unknown as PlanAnswer;

it("answers what is typed, without a button to press", async () => {
  const { previews } = open({});
  const user = userEvent.setup();
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, columnsOf(ANSWER)));
  expect((await screen.findByTestId("example")).textContent).toBe("Example: sort of 100 TB. Enter your own job.");
  const data = screen.getByRole("textbox", { name: "Data" });
  await user.clear(data);
  await user.type(data, "2 PB");
  await waitFor(() => expect(previews().at(-1)?.body).toEqual({ workload: { data: "2 PB" } }));
  act(() =>
    previews()
      .at(-1)
      ?.answer(200, columnsOf({ ...ANSWER, sentence: "the answer to 2 PB" })),
  );
  await waitFor(() => expect(screen.getByTestId("sentence").textContent).toBe("the answer to 2 PB"));
  expect(screen.queryByTestId("example")).toBeNull();
});

it("says at the field what is wrong with it", async () => {
  const { previews } = open({ data: "1 XB" });
  await waitFor(() => expect(previews()).toHaveLength(1));
  const errors = [{ path: "workload.data", message: "'XB' is not a unit of size" }];
  act(() => previews()[0]?.answer(422, { type: "about:blank", title: "", detail: "", status: 422, errors }));
  const field = screen.getByRole("textbox", { name: "Data" });
  await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
  const described = field.getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(described.split(" ")[0] ?? "")?.textContent).toBe("'XB' is not a unit of size");
});

it("offers each relaxation as a button that puts it into the address", async () => {
  const { previews, seen } = open({ deadline: "1 s", nodes: "20" });
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, columnsOf(NOTHING)));
  const notice = await screen.findByTestId("nothing-fits");
  await userEvent.click(within(notice).getByRole("button", { name: "Allow a deadline of 3 min 12 s and 1,000 nodes" }));
  await waitFor(() => expect(seen.at(-1)).toEqual({ deadline: "3 min 12 s", nodes: "1000" }));
});

it("gives the reference of our own faults, and keeps the answer", async () => {
  const { previews } = open({});
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, columnsOf(ANSWER)));
  await screen.findByTestId("sentence");
  const data = screen.getByRole("textbox", { name: "Data" });
  await userEvent.type(data, "0");
  const asksForMore = () => previews().find(({ body }) => JSON.stringify(body).includes("100 TB0"));
  await waitFor(() => expect(asksForMore()).toBeDefined());
  act(() =>
    asksForMore()?.answer(500, {
      type: "about:blank",
      title: "Our fault",
      status: 500,
      detail: "Something went wrong.",
      reference: "abc123",
    }),
  );
  expect((await screen.findByRole("alert")).textContent).toContain("abc123");
  expect(screen.getByTestId("sentence").textContent).toBe(plan.sentence);
});

it("scales by what a run takes today, with the data of the day it was written", async () => {
  const { previews, seen } = open({ data: "40 TB", today: "60-i3.4xlarge-own" });
  const user = userEvent.setup();
  await user.click(screen.getByText("Storage, measured time"));
  const time = await screen.findByRole("textbox", { name: "What does a run take today?" });
  await user.click(time);
  await user.paste("1 h 50 min");
  const today = {
    instance: "i3.4xlarge",
    nodes: 60,
    storage: { kind: "instance-store" },
    time: "1 h 50 min",
    data: "40 TB",
  };
  await waitFor(() => expect(previews().at(-1)?.body).toEqual({ workload: { data: "40 TB" }, today }));
  const scaled = {
    instance: "i3.4xlarge",
    nodes: 60,
    time_s: 6600,
    predicted_s: 2400,
    error_log_deviation: 0.161,
  };
  act(() =>
    previews()
      .at(-1)
      ?.answer(200, columnsOf({ ...ANSWER, today: scaled } as unknown as PlanAnswer)),
  );
  await waitFor(() =>
    expect(screen.getByTestId("today-says").textContent).toContain(
      "Measured; 40 min predicted without it. Times are scaled by 2.75, give or take 17.5%.",
    ),
  );
  // More data later does not make the run larger than it was.
  const data = screen.getByRole("textbox", { name: "Data" });
  await user.clear(data);
  await user.paste("80 TB");
  await waitFor(() => expect(previews().at(-1)?.body).toEqual({ workload: { data: "80 TB" }, today }));
  expect(seen.at(-1)).toMatchObject({ today: "60-i3.4xlarge-own", ran: "60-i3.4xlarge-own~1 h 50 min~40 TB" });
});

it("begins the answer with what it saves against the current cluster, from the stated cost if there is one", async () => {
  const { previews, predictions, seen } = open({});
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, columnsOf(ANSWER)));
  const user = userEvent.setup();
  await user.click(screen.getByRole("combobox", { name: "Instance type" }));
  await user.paste("i2.8xlarge");
  await user.click(screen.getByRole("textbox", { name: "Nodes today" }));
  await user.paste("178");
  await waitFor(() => expect(predictions().length).toBeGreaterThan(0));
  const twice = plan.configurations[0]?.cost_usd.p50 ?? 0;
  const cost = { p10: 2 * twice, p50: 2 * twice, p90: 2 * twice };
  const named = { nodes: 178, instance: "i2.8xlarge", feasible: true, sentence: "" };
  act(() =>
    predictions()
      .at(-1)
      ?.answer(200, { ...plan.configurations[0], ...named, cost_usd: cost, cost_per_month_usd: cost }),
  );
  const sentence = () => screen.getByTestId("sentence").textContent ?? "";
  await waitFor(() => expect(sentence()).toMatch(/^Saves \$[\d.]+ a run \(−50%\) against 178 × i2\.8xlarge\. /));
  expect(sentence()).toContain(plan.sentence);
  await user.type(screen.getByRole("textbox", { name: "Cost a month, if you know it" }), "1");
  await waitFor(() =>
    expect(sentence()).toMatch(
      /^Costs \$[\d.]+ a month more at 1 run \(.*×\) than 178 × i2\.8xlarge \(given: \$1 a month\)\. /,
    ),
  );
  await waitFor(() => expect(seen.at(-1)).toMatchObject({ today: "178-i2.8xlarge-own", pays: "1" }));
});

it("takes no time without a unit, and says so at the field", async () => {
  const { previews } = open({ data: "40 TB", today: "60-i3.4xlarge-own" });
  const user = userEvent.setup();
  await waitFor(() => expect(previews()).toHaveLength(1));
  await user.click(screen.getByText("Storage, measured time"));
  await user.type(await screen.findByRole("textbox", { name: "What does a run take today?" }), "110");
  expect(await screen.findByText("A time with its unit, like 1 h 50 min")).toBeDefined();
  expect(previews()).toHaveLength(1);
});

it("shows a stored run without a cluster to compare with, and takes both away together", async () => {
  const { previews, seen } = open({ ran: "60-i3.4xlarge-own~1 h 50 min~40 TB" });
  const user = userEvent.setup();
  const time = screen.getByRole("textbox", { name: "What does a run take today?" }) as HTMLInputElement;
  expect(time.value).toBe("1 h 50 min");
  expect((screen.getByRole("textbox", { name: "Nodes today" }) as HTMLInputElement).value).toBe("60");
  await user.click(screen.getByRole("button", { name: "Remove baseline" }));
  await waitFor(() => expect(previews().at(-1)?.body).toEqual({ workload: { data: "100 TB" } }));
  expect(seen.at(-1)).toEqual({});
});

it("says what the service did not accept of the run at its field", async () => {
  const { previews } = open({ ran: "60-i3.4xlarge-own~10 s~40 TB" });
  await waitFor(() => expect(previews()).toHaveLength(1));
  const errors = [{ path: "today.time", message: "10 s on 60 × i3.4xlarge, predicted to take 40 min" }];
  act(() => previews()[0]?.answer(422, { type: "about:blank", title: "", detail: "", status: 422, errors }));
  expect(await screen.findByText("10 s on 60 × i3.4xlarge, predicted to take 40 min")).toBeDefined();
  const time = screen.getByRole("textbox", { name: "What does a run take today?" });
  expect(time.getAttribute("aria-invalid")).toBe("true");
});

it("opens a row behind the first ones by its address, and knows its place in the ranking", async () => {
  const behind = { ...plan.configurations[0], nodes: 777, rank: 103, provenance: [], courses: [], sources: false };
  const { previews, rankings, seen } = open({
    network: "unlimited",
    find: "777",
    row: "777-m1.xlarge-2-2",
    sort: "-time",
  });
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, columnsOf(ANSWER)));
  await waitFor(() => expect(rankings()).toHaveLength(1));
  const [request] = rankings();
  expect(Object.fromEntries(request?.search ?? [])).toEqual({ find: "777", sort: "-time", limit: "50" });
  // The very catalog that answered, so that ranking and answer agree.
  expect(request?.body).toMatchObject({ place: { catalog: plan.catalog_version } });
  const page = { configurations: [behind], matching: 1, total: 164, incomplete: null, next_cursor: null };
  act(() => request?.answer(200, page));
  expect(
    await screen.findByText(
      /^Number 103 of the ranking: 777 × m1\.xlarge, 2 data \+ 2 scratch disks\./,
      {},
      { timeout: 20_000 },
    ),
  ).toBeDefined();
  const ranked = screen.getByRole("table", { name: /^Ranked by/, hidden: true });
  const row = within(ranked).getByRole("row", { name: /777 × m1.xlarge/, hidden: true });
  expect(row.getAttribute("data-chosen")).toBe("true");
  await userEvent.click(within(row).getByRole("button", { name: /^Pin/, hidden: true }));
  await waitFor(() => expect(seen.at(-1)?.pins).toBe("777-m1.xlarge-2-2"));
  expect(screen.getByRole("columnheader", { name: /777 × m1.xlarge/, hidden: true })).toBeDefined();
});

it("ends each of the first steps with its action", async () => {
  localStorage.clear();
  const steps = () => screen.queryAllByText(/^Step \d of 3\.$/).map(({ textContent }) => textContent);
  const { previews } = open({});
  await waitFor(() => expect(previews()).toHaveLength(1));
  act(() => previews()[0]?.answer(200, columnsOf(ANSWER)));
  await screen.findByTestId("sentence");
  expect(steps()).toContain("Step 1 of 3.");
  expect(steps()).toContain("Step 2 of 3.");
  cleanup();
  const later = open({ data: "2 TB", today: "10-i3.8xlarge-own" });
  await waitFor(() => expect(later.previews()).toHaveLength(1));
  act(() => later.previews()[0]?.answer(200, columnsOf(ANSWER)));
  await screen.findByTestId("sentence");
  expect(steps()).not.toContain("Step 1 of 3.");
  expect(steps()).not.toContain("Step 2 of 3.");
});
