import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { CATALOGS } from "@tests/fixtures/explore";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import type { CatalogDifference, SavedPlanAnswer } from "@/api/generated";
import { TodayDifference } from "@/features/plan/saved/TodayDifference";

const DIFFERENCE: CatalogDifference = {
  // biome-ignore lint/suspicious/noThenProperty: the API's name, of a text
  then: "paper-2014",
  now: "aws-2026-07-06",
  region: "us-east-1",
  purchase: "on-demand",
  new: ["i9.xlarge", "i9.2xlarge"],
  gone: [],
  // biome-ignore lint/suspicious/noThenProperty: the API's name, of a number
  cheaper: [{ name: "i2.8xlarge", quantity: "usd_per_hour", then: 6.82, now: 5, change_pct: -26.7 }],
  dearer: [],
  priced: [],
  unpriced: [],
  volumes: [
    // biome-ignore lint/suspicious/noThenProperty: the API's name, of a number
    { name: "gp2", quantity: "largest_gib", then: 1_024, now: 16_384 },
    // biome-ignore lint/suspicious/noThenProperty: the API's name, of a number
    { name: "gp3", quantity: "largest_gib", then: null, now: 65_536 },
    // biome-ignore lint/suspicious/noThenProperty: the API's name, of a number
    { name: "gp3", quantity: "usd_per_gib_month", then: null, now: 0.08 },
  ],
  hardware: [],
  sentence: "2 types new, 1 cheaper.",
};

const best = (usd: number) => [{ cost_usd: { p10: usd, p50: usd, p90: usd } }];

const saved = (version: string) =>
  ({ id: "a-plan", answer: { catalog_version: version, configurations: best(365) } }) as unknown as SavedPlanAnswer;

async function open(version: string, measured: unknown[] = []) {
  const asked = stubService();
  render(<TodayDifference saved={saved(version)} onNewest={<a href="/">Answer on the newest</a>} />, {
    wrapper: Surroundings,
  });
  await waitFor(() => expect(asked.map(({ path }) => path)).toEqual(["/api/v1/catalogs", "/api/v1/profiles"]));
  act(() => asked[0]?.answer(200, { catalogs: CATALOGS, next_cursor: null }));
  act(() => asked[1]?.answer(200, { profiles: measured, measurements: measured.length, made_at: null }));
  return asked;
}

const TODAY = {
  difference: DIFFERENCE,
  winner: "unchanged",
  sentence: "2 types new, 1 cheaper, your winner unchanged.",
  measured: null,
  answer: { sentence: "Forty of them sort it.", configurations: best(58.2) },
};

it("says what the newest catalog would change, and folds the details away", async () => {
  const asked = await open("paper-2014");
  await waitFor(() => expect(asked[2]?.path).toBe("/api/v1/plans/a-plan/today"));
  act(() => asked[2]?.answer(200, TODAY));
  await screen.findByText(
    /Against catalog aws-2026-07-06: 2 types new, 1 cheaper, your winner unchanged\. The best was \$365 a run, today \$58\.20 a run\./,
  );
  expect(screen.getByText("Answer on the newest")).toBeDefined();
  expect(screen.queryByText("Forty of them sort it.")).toBeNull();
  const user = userEvent.setup();
  await user.click(screen.getByText("What differs"));
  expect(screen.getByText("Forty of them sort it.")).toBeDefined();
  await user.click(screen.getByText("1 type cheaper"));
  expect(screen.getByRole("row", { name: /i2\.8xlarge.*6\.82 USD\/h.*5 USD\/h.*−26\.7%/ })).toBeDefined();
  // Volume types are new by name, as instance types are; what is left changed.
  await user.click(screen.getByText("1 volume type new"));
  expect(screen.getByText("gp3")).toBeDefined();
  await user.click(screen.getByText("1 change in figures of volumes"));
  expect(screen.getByRole("row", { name: /gp2 Largest volume.*1,024 GiB.*16,384 GiB/ })).toBeDefined();
});

it("says nothing, and asks nothing, where the plan rests on the newest", async () => {
  const asked = await open("aws-2026-07-06");
  await waitFor(() => expect(asked.map((one) => one.isRead())).toEqual([true, true]));
  expect(screen.queryByText(/Against catalog/)).toBeNull();
});

it("says that the newest cannot answer, and why", async () => {
  const asked = await open("paper-2014");
  await waitFor(() => expect(asked).toHaveLength(3));
  act(() => asked[2]?.answer(422, { status: 422, title: "Not accepted", detail: "No such region there." }));
  await screen.findByText(/it could not be answered\. No such region there\./);
});

it("says what was measured since, where the team measures, though the catalog is the newest", async () => {
  const asked = await open("aws-2026-07-06", [{ key: "one", feeds: true }]);
  await waitFor(() => expect(asked[2]?.path).toBe("/api/v1/plans/a-plan/today"));
  const measured = {
    sentence: "54 × i3.8xlarge ranked first and is now 2nd: measured network 18% lower than published.",
    changed: true,
    winner_before: null,
    winner_now: null,
    place_of_before: 2,
    differences: [
      {
        target: "i3.8xlarge",
        metric: "network",
        unit: "MB/s",
        published: 1250,
        measured: 1025,
        percent: -18,
        source: "Your team: 5 measurements",
        words: "",
      },
    ],
  };
  act(() => asked[2]?.answer(200, { ...TODAY, measured }));
  expect((await screen.findByTestId("measured")).textContent).toContain("54 × i3.8xlarge ranked first and is now 2nd");
  expect(screen.queryByText(/Against catalog/)).toBeNull();
  await userEvent.setup().click(screen.getByText("Which figures"));
  expect(
    screen.getByRole("row", { name: /i3\.8xlarge network.*5 measurements 1\.25 GB\/s 1\.02 GB\/s −18%/ }),
  ).toBeDefined();
});
