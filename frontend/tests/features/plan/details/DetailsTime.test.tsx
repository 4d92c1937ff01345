import { render, screen } from "@testing-library/react";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import { MoneyDetails } from "@/features/plan/details/DetailsMoney";
import { TimeDetails } from "@/features/plan/details/DetailsTime";

const [usual] = (plan as unknown as PlanAnswer).configurations;
if (usual === undefined) throw new Error("the fixture has no rows");

const bursting: Configuration = {
  ...usual,
  phases: [
    { name: "random I/O", kind: "work", time_s: 6_352, bottleneck: "EBS volumes", utilization: { "EBS volumes": 1 } },
  ],
  courses: [
    {
      phase: "random I/O",
      times_s: [0, 3_780, 6_352],
      done: [0, 0.8, 1],
      bottlenecks: ["EBS volumes", "EBS volumes"],
      credits: [{ resource: "EBS volumes", unit: "I/O", full: 43_200_000, credit: [43_200_000, 0, 0] }],
    },
  ],
  on_empty: { time_s: 21_736, cost_usd: 6.5 },
  latency: { io_per_s: 9_609, mean_ms: 1.665, p99_ms: null },
};

it("draws burst credit where it changes, and says what the job is without it", () => {
  render(<TimeDetails configuration={bursting} objective="cost" />, { wrapper: Surroundings });
  expect(screen.getByRole("heading", { name: "Burst credit" })).toBeDefined();
  expect(screen.getByText(/used up after 1 h 3 min/)).toBeDefined();
  expect(screen.getByTestId("on-empty").textContent).toBe(
    "Lives on burst credit: with empty buckets 6 h 2 min for $6.50.",
  );
  expect(screen.getByText(/p99 not known/)).toBeDefined();
});

it("says nothing of credit and latency where there are none", () => {
  render(<TimeDetails configuration={usual} objective="cost" />, { wrapper: Surroundings });
  expect(screen.queryByText("Burst credit")).toBeNull();
  expect(screen.queryByText(/outstanding/)).toBeNull();
});

it("lists the parts that cost something, the month, and a cluster that stays", () => {
  const paid: Configuration = {
    ...usual,
    cost_parts_usd: { ...usual.cost_parts_usd, emr_fee: 1.35, head_nodes: 4.28 },
    cost_always_on_usd: 41_405.6,
  };
  const explained = { explanation: undefined, current: false, error: null, retry: () => undefined };
  render(<MoneyDetails configuration={paid} objective="cost" explained={explained} />, { wrapper: Surroundings });
  const names = screen.getAllByRole("row").map((row) => row.querySelector("td")?.textContent);
  expect(names).toEqual([
    undefined,
    "Instances while the job runs, 519 × m1.xlarge",
    "Launch, set-up, minimum",
    "Head node",
    "EMR fee",
  ]);
  expect(screen.getByText("Always-on monthly cost").closest("div")?.textContent).toContain("$41,400");
});

it("says what no framework can run below, and how far the prediction is from it", () => {
  const limited = { ...usual, time_s: { p10: 3_000, p50: 3_600, p90: 4_000 }, physical_limit_s: 1_800 };
  render(<TimeDetails configuration={limited} objective="cost" />, { wrapper: Surroundings });
  const limit = screen.getByRole("region", { name: "Physical limit" });
  expect(limit.textContent).toContain("in less than 30 min");
  expect(limit.textContent).toContain("The predicted median is 2 times that.");
});

it("says what adds to the limit, the most first in words, and draws each where the one before it ends", () => {
  const causes = [
    { name: "CPU", time_s: 1_350 },
    { name: "spills, merges and shuffle format", time_s: -90 },
    { name: "uneven tasks", time_s: 1 },
    { name: "slow nodes, launch and start-up", time_s: 539 },
  ];
  const added = { ...usual, time_s: { p10: 3_000, p50: 3_600, p90: 4_000 }, physical_limit_s: 1_800, causes };
  render(<TimeDetails configuration={added} objective="cost" />, { wrapper: Surroundings });
  screen.getByRole("heading", { name: "Time above the physical limit" });
  screen.getByText(/^Largest: CPU 75%, slow nodes, launch and start-up 29.9%/);
  // A second in half an hour is in the table only.
  const drawn =
    "CPU: +22 min 30 s, spills, merges and shuffle format: −1 min 30 s, slow nodes, launch and start-up: +8 min 59 s";
  screen.getByRole("img", { name: drawn });
});

it.each([null, 0])("says nothing of a limit that is %s", (physical_limit_s) => {
  render(<TimeDetails configuration={{ ...usual, physical_limit_s }} objective="cost" />, { wrapper: Surroundings });
  expect(screen.queryByRole("region", { name: "Physical limit" })).toBeNull();
});
