import { render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { OWNER, VIEWER } from "@tests/session";
import { expect, it, vi } from "vitest";
import type { MetricSeries, Metrics, Watch } from "@/api/runs/watches";
import { drawnOf, metricWords } from "@/features/watches/groups";
import { watchesSearchFrom, watchSearchFrom } from "@/features/watches/search";
import { WatchPage } from "@/features/watches/WatchPage";

const WATCH: Watch = {
  id: "00000000-0000-4000-8000-0000000000aa",
  account_id: "00000000-0000-4000-8000-0000000000bb",
  account_name: "Benchmarks",
  region: "us-east-1",
  volume_id: "vol-0123456789abcdef0",
  volume: {
    type: "gp2",
    size_gib: 100,
    iops: 300,
    throughput_mib_per_s: null,
    zone: "us-east-1a",
    instance: "i-0123456789abcdef0",
    words: "gp2, 100 GiB, 300 IOPS, attached to i-0123456789abcdef0",
  },
  person: "Ada",
  created_at: "2026-11-21T08:00:00Z",
  ended_at: null,
  problem: null,
  read_until: "2026-11-21T08:30:00Z",
  latest: [],
  usd_per_month: 0.96,
};

function series(name: string, unit: MetricSeries["unit"], mean: (number | null)[]): MetricSeries {
  return {
    name,
    title: name,
    unit,
    of: WATCH.volume_id,
    metric: name,
    mean,
    smallest: mean,
    largest: mean,
  };
}

const METRICS: Metrics = {
  id: WATCH.id,
  start: "2026-11-21T08:00:00Z",
  end: "2026-11-21T08:04:00Z",
  step_s: 60,
  kept: "points",
  steps: 4,
  series: [
    series("read_mb_per_s", "MB/s", [100, null, 93.1, 50]),
    series("burst_balance", "share", [0.9, null, 0.8, 0.7]),
    series("queue_length", "I/Os", [null, null, null, null]),
  ],
  expected: { balance: [0.9, null, 0.8, 0.66], furthest: 0.04, words: "By the limits of gp2." },
};

async function open(watch = WATCH, as = OWNER) {
  const asked = stubService();
  const onSearch = vi.fn();
  render(
    <Surroundings as={as}>
      <WatchPage id={watch.id} search={{}} onSearch={onSearch} />
    </Surroundings>,
  );
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, watch);
  await screen.findByRole("heading", { name: watch.volume_id });
  await waitFor(() => expect(asked).toHaveLength(2));
  asked[1]?.answer(200, METRICS);
  await screen.findByRole("heading", { name: "Burst balance" });
  return { asked, onSearch };
}

it("draws what was measured, and the balance beside what the model expects", async () => {
  await open();
  expect(screen.getByText(/at most 4% of the bucket apart/)).toBeTruthy();
  expect(screen.queryByRole("heading", { name: "Queue length" })).toBeNull();
  await userEvent.setup().click(screen.getByRole("button", { name: "Data of “Burst balance”" }));
  const table = screen.getByRole("table");
  // A step in which nothing was measured is no row.
  expect(within(table).getAllByRole("row")).toHaveLength(4);
  expect(within(table).getByText("66%")).toBeTruthy();
});

it("asks for as much of the past as is chosen", async () => {
  const { asked, onSearch } = await open();
  const from_ms = Date.parse(asked[1]?.search.get("from") ?? "");
  expect(Math.round((Date.now() - from_ms) / 3_600_000)).toBe(6);
  await userEvent.setup().click(screen.getByText("7 d"));
  expect(onSearch).toHaveBeenCalledWith({ span: "7d" });
});

it("can be ended only with permission", async () => {
  await open(WATCH, VIEWER);
  expect(screen.queryByRole("button", { name: "Stop monitoring" })).toBeNull();
});

it("says why a volume could not be read, and that it is tried again", async () => {
  await open({ ...WATCH, problem: "The role may not call cloudwatch:GetMetricData." });
  expect(screen.getByText(/The role may not call cloudwatch:GetMetricData\./)).toBeTruthy();
  expect(screen.getByText(/tried again every five minutes/)).toBeTruthy();
});

it("writes figures with their units", () => {
  expect(metricWords(93.14, "MB/s")).toBe("93.1 MB/s");
  expect(metricWords(2_400, "IOPS")).toBe("2,400 IOPS");
  expect(metricWords(0.875, "share")).toBe("87.5%");
  expect(metricWords(3.5, "I/Os")).toBe("3.5");
});

it("leaves out what nothing was measured of", () => {
  expect(drawnOf(METRICS).map(({ group }) => group.key)).toEqual(["throughput", "burst-balance"]);
});

it("keeps of an address what it understands", () => {
  expect(watchSearchFrom({ span: "7d" })).toEqual({ span: "7d" });
  expect(watchSearchFrom({ span: "6h" })).toEqual({});
  expect(watchSearchFrom({ span: "100y" })).toEqual({});
  expect(watchesSearchFrom({ ended: "yes", add: "yes", more: "1" })).toEqual({ ended: "yes", add: "yes" });
  expect(watchesSearchFrom({ ended: "no" })).toEqual({});
});
