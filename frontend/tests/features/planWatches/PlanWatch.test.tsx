import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { OWNER } from "@tests/session";
import { expect, it } from "vitest";
import type { PlanWinner } from "@/api/generated";
import type { PlanCheck, PlanWatch } from "@/api/planning/planWatches";
import { PlanWatchSection } from "@/features/planWatches/PlanWatchSection";
import { WatchButton } from "@/features/planWatches/WatchButton";
import { bandOf, foundWords, percentFrom, stepsOf, winnerName } from "@/features/planWatches/words";
import { UndoProvider } from "@/ui/feedback/Undo";

const WATCH = "/api/v1/plans/a-plan/watch";
const VIEWER: typeof OWNER = { ...OWNER, permissions: OWNER.permissions.filter((each) => each !== "plans.write") };

function winner(cost_usd: number, instance = "i3.large"): PlanWinner {
  return {
    instance,
    nodes: 1_200,
    storage: { kind: "instance-store", input_output_disks: 1, intermediate_disks: 0 },
    storage_words: "1 shared disk",
    purchase: "on-demand",
    durability: "none",
    replicas: 1,
    time_s: 600,
    cost_usd,
    month_usd: 20 * cost_usd,
  };
}

function check(day: number, cost_usd: number | null, changed: Partial<PlanCheck> = {}): PlanCheck {
  return {
    at: `2026-11-0${day}T09:30:00Z`,
    catalog_version: "aws-2026-11-01",
    winner: cost_usd === null ? null : winner(cost_usd),
    problem: null,
    told: false,
    ...changed,
  };
}

const OFF: PlanWatch = {
  plan_id: "a-plan",
  state: "off",
  every: null,
  percent: null,
  person: null,
  checking: false,
  next_check_at: null,
  told: null,
  checks: [],
};

const ON: PlanWatch = {
  ...OFF,
  state: "on",
  every: "week",
  percent: 5,
  person: "Ada",
  next_check_at: "2026-11-12T09:30:00Z",
  told: {
    price_terms: null,
    at: "2026-11-03T09:30:00Z",
    winner: winner(110),
    objective: "cost",
    catalog_version: "aws-2026-11-01",
    profiles_digest: "p",
    model_version: "1",
  },
  checks: [check(1, 100), check(2, 103), check(3, 110, { told: true }), check(4, 111)],
};

async function open(found: PlanWatch, as = OWNER) {
  const asked = stubService();
  render(
    <Surroundings as={as}>
      <UndoProvider>
        <PlanWatchSection planId="a-plan" planName="Nightly sort" toAlerts={<a href="/measurements">the changes</a>} />
      </UndoProvider>
    </Surroundings>,
  );
  await waitFor(() => expect(asked.map(({ path }) => path)).toEqual([WATCH]));
  act(() => asked[0]?.answer(200, found));
  await waitFor(() => expect(asked[0]?.isRead()).toBe(true));
  return asked;
}

/** Let the page take in an answer. */
async function next(asked: ReturnType<typeof stubService>, place: number, status: number, body: unknown) {
  await waitFor(() => expect(asked.length).toBeGreaterThan(place));
  act(() => asked[place]?.answer(status, body));
}

it("watches a plan as often as is chosen, from a change of cost on that is written", async () => {
  const asked = await open(OFF);
  const user = userEvent.setup();
  await user.selectOptions(await screen.findByLabelText("Check it"), "Every month");
  const percent = screen.getByLabelText("Tell of a change above");
  await user.clear(percent);
  expect(screen.getByText("A percentage is needed, such as 5.")).toBeDefined();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Watch this plan" }).disabled).toBe(true);
  await user.type(percent, "2,5 %");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(asked[1]?.path).toBe(WATCH));
  expect(asked[1]?.body).toEqual({ every: "month", percent: 2.5 });
  await next(asked, 1, 200, { ...ON, every: "month", percent: 2.5, checking: true, checks: [] });
  expect(await screen.findByRole("heading", { name: "Watched every month" })).toBeDefined();
  expect(screen.getByText("none yet")).toBeDefined();
  expect(screen.getByText("under way")).toBeDefined();
});

it("says at the field what the service does not accept", async () => {
  const asked = await open(OFF);
  const user = userEvent.setup();
  const percent = await screen.findByLabelText("Tell of a change above");
  await user.clear(percent);
  await user.type(percent, "5000{Enter}");
  const errors = [{ path: "percent", message: "is above 1000" }];
  await next(asked, 1, 422, { status: 422, title: "Not accepted", detail: "", errors });
  expect(await screen.findByText("Is above 1000.")).toBeDefined();
});

it("shows the last check, the next one, and with what it will be compared", async () => {
  await open(ON);
  expect(await screen.findByText(/^4 Nov 2026.*: 1,200 × i3\.large for \$111 a run, by catalog/)).toBeDefined();
  expect(screen.getByText(/^12 Nov 2026/)).toBeDefined();
  expect(screen.getByText(/1,200 × i3\.large for \$110 a run, known since 3 Nov 2026/)).toBeDefined();
  expect(screen.getByText(/more than 5%/)).toBeDefined();
});

it("draws how the cost went, with all of it as a table, newest first", async () => {
  await open(ON);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: /^Data of/ }));
  const rows = within(screen.getByRole("table")).getAllByRole("row");
  expect(rows).toHaveLength(5);
  expect(rows[1]?.textContent).toMatch(/4 Nov.*aws-2026-11-01.*1,200 × i3\.large.*\$111.*no/);
  expect(rows[2]?.textContent).toMatch(/3 Nov.*\$110.*yes/);
  expect(
    screen.getByText(
      "4 checks, 1 told (ringed). Between $104 and $116 there is no alert, where the winner stays (shaded).",
    ),
  ).toBeDefined();
});

it("shows why the last check could not be answered", async () => {
  const failed = check(5, null, { catalog_version: null, problem: "place.region: there is no us-east-1." });
  await open({ ...ON, checks: [...ON.checks, failed] });
  expect(await screen.findByText(/It could not be answered: place\.region: there is no us-east-1\./)).toBeDefined();
});

it("checks now, and says so until it has", async () => {
  const asked = await open(ON);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Check now" }));
  await waitFor(() => expect(asked[1]?.path).toBe(`${WATCH}/check`));
  await next(asked, 1, 202, { ...ON, checking: true });
  expect(await screen.findByText("Being checked")).toBeDefined();
});

it("ends a watch, keeps what was found in sight, and takes it back", async () => {
  const asked = await open(ON);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Stop watching" }));
  await waitFor(() => expect(asked).toHaveLength(2));
  act(() => asked[1]?.answer(200, null));
  await next(asked, 2, 200, { ...ON, state: "off", next_check_at: null });
  expect(await screen.findByRole("button", { name: "Watch this plan" })).toBeDefined();
  expect(screen.getByText("Cost of the winner, a run")).toBeDefined();
  await user.click(await screen.findByRole("button", { name: /undo/i }));
  await waitFor(() => expect(asked[3]?.body).toEqual({ every: "week", percent: 5 }));
  await next(asked, 3, 200, ON);
  await next(asked, 4, 200, ON);
  expect(await screen.findByRole("heading", { name: "Watched every week" })).toBeDefined();
});

it("lets who may not change plans look and do nothing", async () => {
  await open(ON, VIEWER);
  expect(await screen.findByRole("heading", { name: "Watched every week" })).toBeDefined();
  expect(screen.queryByRole("button", { name: "Stop watching" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Check now" })).toBeNull();
});

it("shows who may not change plans nothing of a plan that was never watched", async () => {
  await open(OFF, VIEWER);
  expect(screen.queryByRole("heading")).toBeNull();
});

it.each([
  [
    "month",
    "Cost of the winner, a month",
    "for $2,200 a month",
    "cost a month",
    "Between $2,090 and $2,310 there is no alert",
  ],
  ["time", "Time of the winner", "in 10 min", "time", "Between 9 min 30 s and 10 min 30 s there is no alert"],
] as const)("compares what a plan that looks for %s looks for", async (objective, title, won, sought, band) => {
  if (ON.told === null) throw new Error("it was told");
  await open({ ...ON, told: { ...ON.told, objective } });
  expect(await screen.findByText(title)).toBeDefined();
  expect(screen.getByText(new RegExp(`1,200 × i3\\.large ${won.replace("$", "\\$")}, known since`))).toBeDefined();
  expect(screen.getByText(new RegExp(`the winner's ${sought} is more than`))).toBeDefined();
  expect(screen.getByText(new RegExp(band.replaceAll("$", "\\$")))).toBeDefined();
});

it("reads percentages as people write them", () => {
  expect(["5", "2,5 %", " 0.1%", "", "x", "-1", "0"].map(percentFrom)).toEqual([5, 2.5, 0.1, null, null, null, null]);
});

it("names winners, and breaks the line where there is none", () => {
  const volumes = {
    ...winner(1),
    storage: { kind: "ebs", type: "gp3", size: "500 GiB", count: 2 },
    storage_words: "2 × 500 GiB gp3",
  } as unknown as PlanWinner;
  expect(winnerName(volumes)).toBe("1,200 × i3.large on 2 × 500 GiB gp3");
  expect(foundWords(check(1, null), "cost")).toBe("Nothing meets the limits, by catalog aws-2026-11-01.");
  expect(
    stepsOf([check(1, 100, { told: true }), check(2, null)], "cost").map(({ value, marked }) => [value, marked]),
  ).toEqual([
    [100, true],
    [null, false],
  ]);
  expect(bandOf({ ...ON, percent: 200 })?.low).toBe(0);
  expect(bandOf({ ...ON, told: null })).toBeNull();
});

it("is begun from the head of the plan, by those who may", async () => {
  const asked = stubService();
  const { unmount } = render(<WatchButton planId="a-plan" />, { wrapper: Surroundings });
  await waitFor(() => expect(asked.some(({ path }) => path === WATCH)).toBe(true));
  act(() => asked.find(({ path }) => path === WATCH)?.answer(200, OFF));
  await userEvent.click(await screen.findByRole("button", { name: "Watch" }));
  expect(await screen.findByRole("button", { name: "Watch this plan" })).toBeDefined();
  unmount();
  const again = stubService();
  render(<WatchButton planId="a-plan" />, { wrapper: Surroundings });
  await waitFor(() => expect(again.some(({ path }) => path === WATCH)).toBe(true));
  act(() => again.find(({ path }) => path === WATCH)?.answer(200, ON));
  expect(await screen.findByRole("button", { name: "Watched every week" })).toBeDefined();
});
