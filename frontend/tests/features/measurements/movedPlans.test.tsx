import { act, render, screen } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import type { MeasuredAnswer, WinnerAnswer } from "@/api/generated";
import { movedWords } from "@/features/measurements/changes/movedPlans";
import { KeptNotice } from "@/features/measurements/review/KeptNotice";

const winner = (nodes: number, instance: string, cost_usd: number, month_usd: number | null = null): WinnerAnswer => ({
  ...{ nodes, instance, cost_usd, month_usd, time_s: 3_600 },
  storage: { kind: "instance-store" },
  storage_words: "2 own disks",
});

const measured = (before: WinnerAnswer | null, now: WinnerAnswer | null, changed: boolean): MeasuredAnswer => ({
  ...{ sentence: "", changed, winner_before: before, winner_now: now, place_of_before: changed ? 2 : 1 },
  differences: [
    {
      ...{ target: "i8g.8xlarge", metric: "disk reads", unit: "MB/s", published: 8_530, measured: 5_500 },
      ...{ percent: -35.5, source: "Your team", words: "measured disk reads 35.5% lower than published" },
    },
  ],
});

it("says what wins now and what it costs", () => {
  const [old, other] = [winner(54, "i8g.8xlarge", 58, 40_000), winner(116, "i8g.4xlarge", 61.3, 44_000)];
  expect(movedWords(measured(old, other, true), "cost")).toBe(
    "116 × i8g.4xlarge wins now, instead of 54 × i8g.8xlarge. It costs $61.30 a run instead of $58 (+5.69%).",
  );
  expect(movedWords(measured(old, other, true), "month")).toContain("$44,000 a month instead of $40,000 (+10%).");
  expect(movedWords(measured(old, winner(60, "i8g.8xlarge", 64), false), "cost")).toBe(
    "60 × i8g.8xlarge wins now, instead of 54 nodes. It costs $64 a run instead of $58 (+10.3%).",
  );
  expect(movedWords(measured(old, winner(54, "i8g.8xlarge", 58.1), false), "cost")).toBeNull();
  expect(movedWords(measured(old, null, true), "cost")).toBe(
    "nothing meets its limits any more; 54 × i8g.8xlarge did.",
  );
  expect(movedWords(measured(null, other, true), "cost")).toBe(
    "116 × i8g.4xlarge meets its limits; nothing did before.",
  );
});

const PROFILE = {
  ...{ key: "p", target_words: "i8g.8xlarge, 2 own disks", metric: "storage_read_mb_per_s", what: "Reads" },
  target: { instance: "i8g.8xlarge", region: null, zone: null, storage: null, nodes: 1, placement_group: null },
  ...{ unit: "MB/s", mean: 5_500, low: 5_000, high: 6_000, spread: null, count: 1, effective_count: 1 },
  ...{ newest: "2026-11-20T10:00:00Z", oldest: "2026-11-20T10:00:00Z", slowest: 5_500, fastest: 5_500 },
  ...{ published: null, difference_pct: null, feeds: true, why_not: null },
};

const KEPT = { measurements: ["m"], known: 0, refused: [], profiles: ["p"] };

async function kept(ids: readonly string[]) {
  const asked = stubService();
  render(<KeptNotice kept={KEPT} />, { wrapper: Surroundings });
  const of = (path: string) => asked.find((one) => one.path.endsWith(path));
  await until(() => of("/profiles") !== undefined);
  act(() => of("/profiles")?.answer(200, { profiles: [PROFILE], measurements: 1, made_at: null }));
  await until(() => of("/plans") !== undefined);
  const plans = ids.map((id) => ({ id, name: `Sort ${id}`, best_instance: null, best_nodes: null }));
  act(() => of("/plans")?.answer(200, { plans, next_cursor: null }));
  const answer = async (id: string, found: MeasuredAnswer | null) => {
    await until(() => of(`/${id}/today`) !== undefined);
    act(() => of(`/${id}/today`)?.answer(200, { measured: found, answer: { objective: "cost" } }));
  };
  return { asked, answer };
}

it("leads with the plans that the kept measurements change, checked two at a time", async () => {
  const { asked, answer } = await kept(["a", "b", "c"]);
  await screen.findByText("Checking 3 saved plans: 0 done.");
  expect(screen.getByRole("progressbar", { name: "Progress of checking saved plans" })).toBeDefined();
  await until(() => asked.filter(({ path }) => path.endsWith("/today")).length === 2);
  await answer("a", null);
  await screen.findByText("Checking 3 saved plans: 1 done.");
  await answer("b", measured(winner(54, "i8g.8xlarge", 58), winner(116, "i8g.4xlarge", 61.3), true));
  await answer("c", measured(winner(54, "i8g.8xlarge", 58), winner(54, "i8g.8xlarge", 58), false));
  expect((await screen.findByText("1 of 3 saved plans changes.")).tagName).toBe("P");
  expect(screen.getByRole("link", { name: "Sort b" }).getAttribute("href")).toBe("/plans/b");
  expect(screen.getByRole("list", { name: "Plans that changed" }).textContent).toBe(
    "Sort b: 116 × i8g.4xlarge wins now, instead of 54 × i8g.8xlarge. It costs $61.30 a run instead of $58 (+5.69%)." +
      " i8g.8xlarge: measured disk reads 35.5% lower than published.",
  );
  expect(screen.getByRole("link", { name: "All results" })).toBeDefined();
});

it("says that no saved plan changes, also where other measurements changed one before", async () => {
  const { answer } = await kept(["a"]);
  const found = measured(winner(54, "i3.large", 58), winner(116, "i4i.large", 61), true);
  await answer("a", {
    ...found,
    differences: found.differences.map((one) => ({ ...one, target: "i3.large" })),
  });
  await screen.findByText("No saved plan changes.");
  expect(screen.queryByRole("list", { name: "Plans that changed" })).toBeNull();
});
