import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { OWNER, VIEWER } from "@tests/session";
import { useState } from "react";
import { expect, it } from "vitest";
import type { SavedPlanAnswer } from "@/api/generated";
import { savedViewFrom, type View } from "@/features/plan/address/view";
import { SavedPlanPage } from "@/features/plan/saved/SavedPlanPage";
import { SharedPlan } from "@/features/plan/saved/SharedPlan";
import type { Search } from "@/features/plan/workload/choice";

const [first] = plan.configurations;
const CLUSTER = { instance: "i2.8xlarge", nodes: 124, storage: { kind: "instance-store" } };
const COPIES = { model: "application", replicas: 2 };
const TODAY = "124-i2.8xlarge-own*durability-application*replicas-2";
const PIN = "98-i2.8xlarge-own*durability-application*replicas-2";
interface Opened {
  as?: typeof OWNER;
  view?: View;
  saved?: SavedPlanAnswer;
}

const costing = (usd: number) => ({ ...first, feasible: true, cost_usd: { p10: usd, p50: usd, p90: usd } });

const SAVED = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "Nightly",
  created_at: "2026-11-23T07:00:00Z",
  answer: plan,
  changes: [],
  saving_mark: { state: "open", reason: "", person: null, at: null },
  decided: {
    today: { cluster: { ...CLUSTER, durability: COPIES }, answer: costing(77) },
    pins: [
      {
        file: {
          ...plan.workload,
          workload: { ...plan.workload.workload, durability: COPIES },
          cluster: { ...CLUSTER, nodes: 98 },
        },
        answer: costing(88),
      },
    ],
    durabilities: [],
    notes: "Ask Ada\nfirst.",
  },
} as unknown as SavedPlanAnswer;

const BEST = {
  ...SAVED,
  decided: {
    ...SAVED.decided,
    durabilities: [
      { durability: { model: "none" }, best: { ...first, rank: 1 }, sentence: "" },
      { durability: { model: "application", replicas: 3 }, best: { ...costing(99), rank: 1 }, sentence: "" },
      { durability: { model: "infrastructure" }, best: null, sentence: "No prices of EBS are known there." },
    ],
  },
} as unknown as SavedPlanAnswer;

async function open({ as = OWNER, view: begun = {}, saved = SAVED } = {} as Opened) {
  const asked = stubService();
  const heard: { view: View; question: Search } = { view: begun, question: {} };
  function Page() {
    const [view, setView] = useState(begun);
    return (
      <SavedPlanPage
        id={SAVED.id}
        view={view}
        onView={(next) => {
          // As it comes out of the address.
          heard.view = savedViewFrom(JSON.parse(JSON.stringify(next)) as Record<string, unknown>);
          setView(heard.view);
        }}
        openAsNew={(question) => {
          heard.question = question;
          return null;
        }}
        openOnNewest={() => null}
        missing={null}
      />
    );
  }
  render(
    <Surroundings as={as}>
      <Page />
    </Surroundings>,
  );
  await waitFor(() => expect(asked.some(({ path }) => path.endsWith(`${SAVED.id}/columns`))).toBe(true));
  act(() => asked.find(({ path }) => path.endsWith(`${SAVED.id}/columns`))?.answer(200, saved));
  const compared = await screen.findByRole("table", { name: "Compare" });
  const predictions = () => asked.filter(({ path }) => path.endsWith("/predictions"));
  return { asked, heard, compared, predictions };
}

const costs = (table: HTMLElement) =>
  within(within(table).getByRole("row", { name: /^Cost / }))
    .getAllByRole("cell")
    .map((cell) => cell.textContent);

it("shows what was stored with the plan, as it was predicted then, and asks for none of it", async () => {
  const { compared, heard, predictions } = await open();
  expect(costs(compared).map((text) => text?.slice(0, 3))).toEqual(["$88", "$77"]);
  expect(within(compared).getAllByText("2 copies")).toHaveLength(2);
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Notes" }).value).toBe("Ask Ada\nfirst.");
  expect(predictions()).toEqual([]);
  expect(heard.question).toMatchObject({ today: TODAY, pins: PIN, nodes: "1000" });
});

it("lets what is shown differ from what is stored, says so, and stores it when asked to", async () => {
  const { asked, compared, heard } = await open();
  const user = userEvent.setup();
  expect(screen.queryByRole("button", { name: "Save changes" })).toBeNull();
  await user.click(within(compared).getByRole("button", { name: /^Unpin 1/ }));
  expect(heard.view).toEqual({ pins: "none" });
  expect(heard.question).toMatchObject({ today: TODAY });
  expect(heard.question.pins).toBeUndefined();
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  const sent = () => asked.find(({ path }) => path.endsWith("/decided"));
  await waitFor(() => expect(sent()).toBeDefined());
  expect(sent()?.body).toEqual({
    today: { ...CLUSTER, durability: COPIES },
    pins: [],
    durabilities: false,
    notes: "Ask Ada\nfirst.",
  });
  act(() => sent()?.answer(200, { ...SAVED, decided: { ...SAVED.decided, pins: [] } }));
  await waitFor(() => expect(heard.view).toEqual({}));
  expect(screen.queryByRole("button", { name: "Save changes" })).toBeNull();
});

it("shows the given cost of the current cluster as given, keeps it with the pins, and drops it with the cluster", async () => {
  const today = { ...SAVED.decided.today, cluster: { ...CLUSTER, durability: COPIES, cost_per_month: "$9,000" } };
  const saved = { ...SAVED, decided: { ...SAVED.decided, today } } as unknown as SavedPlanAnswer;
  const { asked, compared, heard } = await open({ saved });
  const [, ofToday] = within(within(compared).getByRole("row", { name: /^Per month / })).getAllByRole("cell");
  expect(ofToday?.textContent).toMatch(/^\$9,000given/);
  screen.getByText(/drawn at its predicted cost, not the given one/);
  expect(heard.question).toMatchObject({ today: TODAY, pays: "$9,000" });
  const user = userEvent.setup();
  await user.click(within(compared).getByRole("button", { name: /^Unpin 1/ }));
  await user.click(screen.getByRole("button", { name: "Save changes" }));
  const sent = () => asked.filter(({ path }) => path.endsWith("/decided"));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.body).toMatchObject({ today: { ...CLUSTER, cost_per_month: "$9,000" }, pins: [] });
  await user.click(screen.getByRole("button", { name: /^Remove today’s/ }));
  expect(heard.view).toEqual({ pins: "none", today: "none", pays: "none" });
});

it("says what of a plan was written for an earlier version, and offers nothing that would compute it again", async () => {
  const outdated = "Written for an earlier version: workload.data: is missing. Open it as a new plan.";
  // biome-ignore lint/suspicious/noThenProperty: the API's name, of a text
  const changes = [{ what: "model", then: "1", now: "2" }];
  const saved = { ...SAVED, question: "", outdated, changes } as unknown as SavedPlanAnswer;
  const { asked, compared } = await open({ saved });
  screen.getByText(outdated);
  expect(screen.queryByTestId("question")).toBeNull();
  expect(costs(compared).map((text) => text?.slice(0, 3))).toEqual(["$88", "$77"]);
  expect(screen.queryByRole("link", { name: /Cost over time/ })).toBeNull();
  expect(asked.filter(({ path }) => path.endsWith("/today"))).toEqual([]);
});

it("keeps unsaved notes when the baseline or the pins change", async () => {
  const { compared } = await open();
  const user = userEvent.setup();
  await user.type(screen.getByRole("textbox", { name: "Notes" }), " Then Bob.");
  await user.click(within(compared).getByRole("button", { name: /^Unpin 1/ }));
  expect(screen.getByText(/The baseline or the pins shown/)).toBeDefined();
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Notes" }).value).toBe("Ask Ada\nfirst. Then Bob.");
});

it("lets viewers read the notes", async () => {
  await open({ as: VIEWER });
  expect(screen.getByText(/Ask Ada/).textContent).toBe("Ask Ada\nfirst.");
  expect(screen.queryByRole("textbox", { name: "Notes" })).toBeNull();
});

it("shows of an address with other pins those", async () => {
  const { compared, predictions } = await open({ view: { pins: "12-i2.4xlarge-own", today: "none" } });
  expect(within(compared).getAllByRole("columnheader")).toHaveLength(2);
  await waitFor(() => expect(predictions()).toHaveLength(1));
  expect(predictions()[0]?.body).toMatchObject({ cluster: { instance: "i2.4xlarge", nodes: 12 } });
});

it("shows viewers the best of each durability as it was stored, without a search", async () => {
  const { asked, compared } = await open({ as: VIEWER, saved: BEST });
  const heads = within(compared)
    .getAllByRole("columnheader")
    .map((head) => head.textContent);
  expect(heads.slice(3).map((head) => /^(own disks|3 copies|EBS)/.exec(head ?? "")?.[0])).toEqual([
    "own disks",
    "3 copies",
    "EBS",
  ]);
  expect(heads[5]).toContain("No prices of EBS are known there.");
  expect(costs(compared).map((text) => text?.slice(0, 3))).toEqual(["$88", "$77", "$19", "$99", "—"]);
  expect(asked.filter(({ path }) => path.endsWith("/preview"))).toEqual([]);
});

it("is shown to guests with a link, without a request", () => {
  const asked = stubService();
  render(<SharedPlan plan={BEST} secret="secret" />, { wrapper: Surroundings });
  const compared = screen.getByRole("table", { name: "Compare" });
  expect(costs(compared).map((text) => text?.slice(0, 3))).toEqual(["$88", "$77", "$19", "$99", "—"]);
  expect(within(compared).queryByRole("button")).toBeNull();
  screen.getByText(/Ask Ada/);
  expect(screen.getAllByText(/cost$/).length).toBeGreaterThan(0);
  expect(asked).toEqual([]);
});
