// The home page: what it says first, in which order for whom, and the marks of savings.

import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { OWNER } from "@tests/session";
import { describe, expect, it } from "vitest";
import type { HomeAnswer, SavingAnswer } from "@/api/generated";
import { HomePage, headline } from "@/features/home/HomePage";
import { UndoProvider } from "@/ui/feedback/Undo";

const AT = "2026-11-23T09:00:00Z";
const cluster = {
  instance: "i2.8xlarge",
  nodes: 178,
  storage_words: "8 disks",
  run_usd: 500,
  month_usd: 15_000,
  given: false,
};
const saving: SavingAnswer = {
  baseline: cluster,
  chosen: { ...cluster, nodes: 98, run_usd: 320, month_usd: 9_600 },
  per: "month",
  runs_per_month: 30,
  price_terms: null,
  currency: null,
  same_durability: true,
  run_usd: 180,
  month_usd: 5_400,
  three_years_usd: 194_400,
  percent: -36,
  sentence: "Saves $5,400 a month at 30 runs (−36%) against 178 × i2.8xlarge.",
};
const FULL: HomeAnswer = {
  begun: { plans: 3, baselines: 1, results: 7 },
  savings: {
    rows: [{ plan_id: "1", name: "Nightly", created_at: AT, saving }],
    size: 1,
    month_usd: 5_400,
    done: 0,
    done_month_usd: 0,
  },
  changed: {
    rows: [{ plan_id: "2", name: "Archive", words: "It costs $35 more a month.", at: AT, direction: "regression" }],
    size: 1,
    watched: 4,
  },
  runs: {
    rows: [
      {
        id: "3",
        name: "Network of four",
        state: "quoted",
        person: "Ben",
        created_at: AT,
        quoted_usd: 3.2,
        spent_usd: 0,
        usd_per_hour: 0,
        until: AT,
      },
    ],
    awaiting: 1,
    in_progress: 0,
    usd_per_hour: 0,
    spent_usd: 0,
  },
  results: [
    { upload_id: "4", file: "fio.json", person: "Ben", at: AT, results: 7, instances: ["i8g.8xlarge"], plans: 2 },
  ],
  reports: [{ id: "5", name: "For the board", sentence: "Save it.", author: "Ada", created_at: AT }],
  activity: null,
};
const NOTHING: HomeAnswer = {
  begun: { plans: 0, baselines: 0, results: 0 },
  savings: { rows: [], size: 0, month_usd: 0, done: 0, done_month_usd: 0 },
  changed: { rows: [], size: 0, watched: 0 },
  runs: { rows: [], awaiting: 0, in_progress: 0, usd_per_hour: 0, spent_usd: 0 },
  results: [],
  reports: [],
  activity: [],
};

async function show(state: HomeAnswer, as = OWNER) {
  const asked = stubService();
  render(
    <UndoProvider>
      <HomePage actions="New plan" start="Example team" linkTo={({ title }) => title} />
    </UndoProvider>,
    { wrapper: ({ children }) => <Surroundings as={as}>{children}</Surroundings> },
  );
  await answer(asked, "/home", state);
  return asked;
}

type Requests = ReturnType<typeof stubService>;

/** Answer the newest request of a path. */
async function answer(asked: Requests, path: string, body: unknown): Promise<void> {
  const ofPath = () => asked.findLast((request) => request.path.endsWith(path) && !request.isRead());
  await until(() => ofPath() !== undefined);
  const request = ofPath();
  request?.answer(200, body);
  await until(() => request?.isRead() === true);
}

const titles = async () => (await screen.findAllByRole("heading", { level: 2 })).map(({ textContent }) => textContent);

describe("The home page", () => {
  it("begins with what is found, changed and waiting", () => {
    expect(headline(FULL)).toBe(
      "$5,400 a month of savings found and not acted on; 1 watched plan changed; 1 run awaits approval.",
    );
    expect(headline(NOTHING)).toBe("Nothing waits for you: no open saving, no changed plan, no run in progress.");
  });

  it("shows an engineer first what is new, and a viewer first the money", async () => {
    await show(FULL);
    expect((await titles()).slice(0, 2)).toEqual(["Changed answers", "New benchmark results"]);
    expect(screen.getByText(/fio\.json/).closest("li")?.textContent).toContain(
      "7 results of i8g.8xlarge; the winners of 2 saved plans may change",
    );
  });

  it("leads with money for a viewer, who marks nothing", async () => {
    const viewer = { ...OWNER, team: { ...OWNER.team, role: "viewer" }, permissions: ["plans.read"] } as typeof OWNER;
    await show(FULL, viewer);
    expect((await titles()).slice(0, 2)).toEqual(["Savings not acted on", "Benchmark runs"]);
    expect(screen.queryByRole("button", { name: /Dismiss the saving/ })).toBeNull();
  });

  it("shows a new team three steps and the examples", async () => {
    const asked = await show(NOTHING);
    expect((await screen.findAllByRole("listitem")).map(({ textContent }) => textContent?.slice(0, 10))).toHaveLength(
      3,
    );
    expect(await titles()).toEqual(["Example workloads"]);
    await until(() => asked.some(({ path }) => path.endsWith("/gallery")));
  });

  it("asks for the answers of the examples one after the other, and goes on after a failure", async () => {
    const asked = await show(NOTHING);
    const example = (name: string) => ({ name, title: name, sentence: `A ${name}.`, workload: {} });
    await answer(asked, "/gallery", { examples: [example("sort"), example("archive"), example("log")] });
    await until(() => asked.some(({ path }) => path.endsWith("/gallery/sort")));
    expect(asked.some(({ path }) => path.endsWith("/gallery/archive"))).toBe(false);
    const spots = [60, 600, 6_000].map((time_s) => ({ time_s, usd: 60_000 / time_s }));
    const drawn = { per: "run", deadline_s: null, configuration: "9 × i8g.large", chosen: spots[2], frontier: spots };
    await answer(asked, "/gallery/sort", { ...drawn, catalog_version: "aws-1", catalog_as_of: "2026-07-06" });
    await screen.findByText("9 × i8g.large: 1 h 40 min a run, $10 a run");
    await until(() => asked.some(({ path }) => path.endsWith("/gallery/archive")));
    asked.find(({ path }) => path.endsWith("/gallery/archive"))?.answer(404, { title: "Not found" });
    await until(() => asked.some(({ path }) => path.endsWith("/gallery/log")));
    expect(screen.getByText("A archive.")).toBeTruthy();
  });

  it("leaves out parts that the reader may not read", async () => {
    await show({ ...FULL, runs: null, results: null, reports: null });
    expect(await titles()).toEqual(["Changed answers", "Savings not acted on"]);
  });

  it("dismisses a saving with a reason, and undoes it", async () => {
    const user = userEvent.setup();
    const asked = await show(FULL);
    await user.click(await screen.findByRole("button", { name: "Dismiss the saving of “Nightly”" }));
    const form = await screen.findByRole("dialog");
    await user.type(within(form).getByRole("textbox", { name: "Reason" }), "Reserved until 2027");
    await user.click(within(form).getByRole("button", { name: "Dismiss" }));
    const marks = () => asked.filter(({ path }) => path === "/api/v1/plans/1/saving").map(({ body }) => body);
    await answer(asked, "/saving", {});
    expect(marks()).toEqual([{ state: "dismissed", reason: "Reserved until 2027" }]);
    await answer(asked, "/home", { ...FULL, savings: NOTHING.savings });
    await screen.findByText("The saving of “Nightly” is dismissed.");
    expect(screen.queryByText(saving.sentence)).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await until(() => marks().length === 2);
    expect(marks()[1]).toEqual({ state: "open", reason: "" });
  });
});
