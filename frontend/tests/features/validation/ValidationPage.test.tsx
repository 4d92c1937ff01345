import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { CaseAnswer, ValidationAnswer } from "@/features/validation/answer";
import { type ValidationSearch, validationSearchFrom } from "@/features/validation/search";
import { ValidationPage } from "@/features/validation/ValidationPage";

// Every figure here is invented.
const SOME: CaseAnswer = {
  id: "some",
  experiment: "sort-a",
  source: "Paper A, Table 1",
  source_date: "2014-10-01",
  group: "job time",
  quantity: "Some quantity",
  unit: "s",
  kind: "predicted",
  relation: "equal",
  predicted: 1_010,
  actual: 1_000,
  error_pct: 1,
  range: null,
  assumptions: [],
  reason: null,
  left_out: null,
};

const CASES: CaseAnswer[] = [
  { ...SOME, id: "sort", quantity: "100 TB sort on 178 nodes", range: { p10: 900, p90: 1_200 } },
  {
    ...SOME,
    id: "slow",
    experiment: "sort-b",
    quantity: "1 PB sort on 190 nodes",
    source: "Paper B, Section 5",
    predicted: 9_600,
    actual: 14_000,
    error_pct: -31.43,
    assumptions: ["all nodes in one placement group", "no straggler"],
    reason: "The network was shared with others that day.",
  },
  { ...SOME, id: "price", group: "price", kind: "reproduced", quantity: "Cost of the sort", unit: "USD", error_pct: 0 },
  {
    ...SOME,
    id: "rate",
    group: "device rate",
    kind: "reproduced",
    quantity: "Volume, sequential read",
    unit: "MiB/s",
    predicted: 160,
    actual: 156,
    error_pct: 2.564,
  },
  {
    ...SOME,
    id: "fit",
    kind: "fitted",
    quantity: "Hadoop, 1 TB on 21 nodes",
    predicted: 1_200,
    actual: 1_000,
    error_pct: 20,
    left_out: { row_error_pct: 20, layout_error_pct: -24.5 },
  },
  {
    ...SOME,
    id: "bound",
    group: "arithmetic",
    kind: "reproduced",
    quantity: "Nodes that hold 1 PB",
    unit: "nodes",
    relation: "at least",
    predicted: 200,
    actual: 190,
    error_pct: 0,
  },
  {
    ...SOME,
    id: "broken",
    group: "arithmetic",
    kind: "predicted",
    quantity: "Nodes at most",
    unit: "nodes",
    relation: "at most",
    predicted: 12,
    actual: 10,
    error_pct: 20,
  },
  {
    ...SOME,
    id: "context",
    kind: "context",
    quantity: "A record on other hardware",
    predicted: null,
    actual: 98.8,
    error_pct: null,
  },
];

const errors = (count: number, median: number) => ({
  count,
  median_abs_error_pct: median,
  p90_abs_error_pct: median,
  worst: null,
});

const ANSWER: ValidationAnswer = {
  model_version: "7",
  cases: CASES,
  summary: { predicted: { "job time": errors(2, 16.2) }, reproduced: { price: errors(1, 0) } },
  experiments: {
    count: 2,
    median_abs_error_pct: 16.215,
    p90_abs_error_pct: 28.4,
    worst: { experiment: "sort-b", error_pct: -31.43 },
    rows: [
      { experiment: "sort-a", name: "the first sort", figures: 7, median_abs_error_pct: 1 },
      { experiment: "sort-b", name: "the petabyte sort", figures: 1, median_abs_error_pct: 31.43 },
    ],
  },
  contradictions: [
    { title: "Two prices for one hour", text: "Table 1 says $6.82, the text $6.28.", source: "Paper A" },
  ],
  frameworks: [
    {
      name: "Hadoop",
      version: "2.6",
      what: "map at 0.6 of the disks",
      evidence: "12 runs",
      error_log_deviation: 0.2,
      faster_log_deviation: null,
      best_single_efficiency_leaves_pct: 41,
    },
    {
      name: "unknown",
      version: "2",
      what: "nothing is known of it",
      evidence: "10 times",
      error_log_deviation: 0.88,
      faster_log_deviation: 0.37,
      best_single_efficiency_leaves_pct: null,
    },
  ],
  limits: [
    { id: "a", what: "a sort", source: "Paper A", source_date: "2015-08-27", actual_s: 300, limit_s: 100 },
    { id: "b", what: "a scan", source: "Paper B", source_date: "2016-01-01", actual_s: 90, limit_s: 60 },
    { id: "c", what: "a join", source: "Paper C", source_date: "2016-01-01", actual_s: 90, limit_s: null },
  ],
  accuracies: [
    {
      framework: "spark",
      kind: "sort",
      size: "up to 20 nodes",
      known: "left out",
      ...judged(19, 2, 16, 40.8, 70.1, 14),
    },
    { framework: "spark", kind: "scan", size: "up to 20 nodes", known: "left out", ...judged(3, 8, 16, 51.7, 56, 3) },
    {
      framework: "hadoop-dfsio",
      kind: "HDFS read",
      size: "up to 20 nodes",
      known: "fitted",
      ...judged(3, 5, 5, 2, 3.3, 3),
    },
  ],
};

function judged(jobs: number, fewest: number, most: number, median: number, largest: number, held: number) {
  const errors = { median_abs_error_pct: median, largest_abs_error_pct: largest };
  return { jobs, fewest_nodes: fewest, most_nodes: most, ...errors, held };
}

/** The page over an address that is kept in memory. */
function Addressed({ first, seen }: { first: ValidationSearch; seen: ValidationSearch[] }) {
  const [search, setSearch] = useState(first);
  return (
    <ValidationPage
      search={search}
      onSearch={(next) => {
        seen.push(next);
        setSearch(validationSearchFrom({ ...next }));
      }}
    />
  );
}

const FOLDED = [
  "Every published figure",
  "Physical limits of published runs",
  "What the sources contradict",
  "What is known of each framework",
];

async function open(first: ValidationSearch = {}) {
  const asked = stubService();
  const seen: ValidationSearch[] = [];
  render(<Addressed first={first} seen={seen} />, { wrapper: Surroundings });
  await waitFor(() => expect(asked.map(({ path }) => path)).toEqual(["/api/v1/validation"]));
  act(() => asked[0]?.answer(200, ANSWER));
  await screen.findByTestId("sentence");
  const user = userEvent.setup();
  for (const name of FOLDED) {
    const summary = screen.getByText(name, { selector: "summary" });
    if (!summary.closest("details")?.open) await user.click(summary);
  }
  return { seen, user };
}

const table = () => screen.getByRole("table", { name: "Every case" });
const shown = () =>
  within(table())
    .getAllByRole("rowheader")
    .map((head) => head.textContent);
const rowOf = (quantity: string) => screen.getByRole("button", { name: quantity }).closest("tr") as HTMLElement;

it("begins with a sentence that says how far off the predictions are, and copies it with its sources", async () => {
  const { user } = await open();
  expect(screen.getByTestId("sentence").textContent).toBe(
    "Over 2 independent experiments the predictions are off by 16.2% in the median; the worst, the petabyte sort, by 31.4%.",
  );
  await user.click(screen.getByRole("button", { name: "Copy sentence" }));
  expect(await navigator.clipboard.readText()).toContain(
    "by 31.4%.\n(Stowage: nine in ten within 28.4%; 8 published figures compared; model 7.)",
  );
  await user.click(screen.getByText("The experiments"));
  const experiments = screen.getByRole("table", { name: "Experiments, the worst first" });
  expect(
    within(experiments)
      .getAllByRole("rowheader")
      .map((head) => head.textContent),
  ).toEqual(["the petabyte sort", "the first sort"]);
});

it("shows every case with units, its range and a signed error", async () => {
  await open();
  expect(shown()).toHaveLength(CASES.length);
  const cells = (quantity: string) =>
    within(rowOf(quantity))
      .getAllByRole("cell")
      .map((cell) => cell.textContent);
  expect(cells("100 TB sort on 178 nodes")).toEqual([
    "predicted job time",
    "16 min 50 s 15–20 min",
    "16 min 40 s",
    "+1%",
    "Paper A, Table 1",
  ]);
  expect(cells("1 PB sort on 190 nodes")[3]).toBe("−31.4%");
  expect(cells("Volume, sequential read").slice(1, 4)).toEqual(["160 MiB/s", "156 MiB/s", "+2.56%"]);
  expect(cells("A record on other hardware").slice(1, 4)).toEqual(["—", "1 min 39 s", "—"]);
});

it("says of an inequality whether it holds, and by how much it fails", async () => {
  await open();
  expect(within(rowOf("Nodes that hold 1 PB")).getByText("predicted ≥ actual: holds")).toBeDefined();
  expect(within(rowOf("Nodes at most")).getByText("predicted ≤ actual: fails by 20%")).toBeDefined();
});

it("filters by kind, group, misses and words, all of it in the address", async () => {
  const { seen, user } = await open();
  await user.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "reproduced");
  expect(seen.at(-1)).toEqual({ kind: "reproduced" });
  await user.selectOptions(screen.getByRole("combobox", { name: "Group" }), "arithmetic");
  expect(seen.at(-1)).toEqual({ kind: "reproduced", group: "arithmetic" });
  expect(shown()).toEqual(["Nodes that hold 1 PB"]);
  expect(screen.getByText("1 of 8 cases")).toBeDefined();
  await user.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "");
  await user.selectOptions(screen.getByRole("combobox", { name: "Group" }), "");
  await user.click(screen.getByRole("checkbox", { name: "Misses over 15%" }));
  expect(seen.at(-1)).toEqual({ misses: "yes" });
  expect(shown()).toEqual(["1 PB sort on 190 nodes", "Hadoop, 1 TB on 21 nodes", "Nodes at most"]);
  await user.click(screen.getByRole("searchbox", { name: "Words" }));
  await user.paste("petabyte straggler");
  await waitFor(() => expect(seen.at(-1)).toEqual({ misses: "yes", search: "petabyte straggler" }));
  expect(shown()).toEqual(["1 PB sort on 190 nodes"]);
});

it("shows how many times the actual figure each prediction is, by a choice that the address keeps", async () => {
  const { seen, user } = await open({ kind: "fitted" });
  await user.click(screen.getByRole("radio", { name: "Predicted ÷ actual" }));
  expect(seen).toEqual([{ kind: "fitted", show: "ratio" }]);
  expect(screen.getByText(/4 of 7 cases lie in the band, ±15% around 1/)).toBeDefined();
});

it("opens as its address says", async () => {
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  await open({ kind: "predicted", sort: "worst", case: "slow" });
  expect(shown()).toEqual(["1 PB sort on 190 nodes", "Nodes at most", "100 TB sort on 178 nodes"]);
  expect(screen.getByText("The network was shared with others that day.")).toBeDefined();
  expect(scrolled).toHaveBeenCalledOnce();
});

it("sorts by the size of the error, either way and not at all, with what has none at the end", async () => {
  const { seen, user } = await open();
  const head = () => screen.getByRole("columnheader", { name: /^Error/ });
  const press = () => user.click(within(head()).getByRole("button"));
  expect(head().getAttribute("aria-sort")).toBe("none");
  await press();
  expect(seen.at(-1)).toEqual({ sort: "worst" });
  expect(head().getAttribute("aria-sort")).toBe("descending");
  expect([shown()[0], shown().at(-1)]).toEqual(["1 PB sort on 190 nodes", "A record on other hardware"]);
  await press();
  expect(head().getAttribute("aria-sort")).toBe("ascending");
  expect([shown()[0], shown().at(-1)]).toEqual(["Cost of the sort", "A record on other hardware"]);
  await press();
  expect(seen.at(-1)).toEqual({});
  expect(shown()[0]).toBe("100 TB sort on 178 nodes");
});

it("opens a row by keyboard to what it assumes, why it misses, and where it is from and when", async () => {
  const { seen, user } = await open();
  const button = screen.getByRole("button", { name: "1 PB sort on 190 nodes" });
  button.focus();
  await user.keyboard("{Enter}");
  expect(seen).toEqual([{ case: "slow" }]);
  expect(button.getAttribute("aria-expanded")).toBe("true");
  const details = document.getElementById(button.getAttribute("aria-controls") ?? "") as HTMLElement;
  for (const words of ["The network was shared", "no straggler", "Paper B, Section 5, 1 Oct 2014", "the petabyte sort"])
    expect(details.textContent).toContain(words);
  await user.keyboard("{Enter}");
  expect(seen.at(-1)).toEqual({});
  expect(button.getAttribute("aria-expanded")).toBe("false");
});

it("says of a fitted row how far off it is when it is left out", async () => {
  await open({ case: "fit" });
  expect(screen.getByText("+20% without this row, −24.5% without every row of its layout")).toBeDefined();
});

it("says when no case fits the filters, and offers to drop them", async () => {
  const { seen, user } = await open({ kind: "context", misses: "yes", sort: "worst" });
  expect(screen.queryByRole("table", { name: "Every case" })).toBeNull();
  expect(screen.getByText("No case fits all of these filters.")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Show every case" }));
  expect(seen).toEqual([{ sort: "worst" }]);
  expect(shown()).toHaveLength(CASES.length);
});

it("says what the sources contradict, and what is known of frameworks", async () => {
  await open();
  expect(screen.getByRole("heading", { name: "Two prices for one hour" })).toBeDefined();
  const profiles = screen.getByRole("table", { name: "Efficiency profiles" });
  expect(
    within(profiles)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual([
    ...["map at 0.6 of the disks", "12 runs", "−18.1% to +22.1%", "41%"],
    // A time below the median is nearer to it than one above.
    ...["nothing is known of it", "10 times", "−30.9% to +141%", "—"],
  ]);
});

it("gives the reference of our own faults, and tries again", async () => {
  const asked = stubService();
  render(<Addressed first={{}} seen={[]} />, { wrapper: Surroundings });
  expect(screen.getByRole("status", { name: "Reading the model accuracy" })).toBeDefined();
  await waitFor(() => expect(asked).toHaveLength(1));
  act(() => asked[0]?.answer(500, { title: "Our fault", status: 500, detail: "It broke.", reference: "abc123" }));
  expect((await screen.findByRole("alert")).textContent).toContain("abc123");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(asked).toHaveLength(2));
  act(() => asked[1]?.answer(200, ANSWER));
  expect(await screen.findByTestId("sentence")).toBeDefined();
});

it("says first how far off it is for a job like the visitor's", async () => {
  const user = userEvent.setup();
  await open();
  const accuracy = screen.getByRole("region", { name: "How far off is it for a job like mine?" });
  expect(accuracy.textContent).toContain(
    "2 to 16 nodes: half of 19 published jobs are predicted within 40.8%, all within 70.1%; the p10–p90 range holds 14 of 19.",
  );
  expect(accuracy.textContent).toContain("without jobs from the same source");
  await user.selectOptions(within(accuracy).getByRole("combobox", { name: "Job" }), "scan");
  expect(accuracy.textContent).toContain("8 to 16 nodes: half of 3 published jobs are predicted within 51.7%");
  await user.selectOptions(within(accuracy).getByRole("combobox", { name: "Framework" }), "hadoop-dfsio");
  expect(accuracy.textContent).toContain("5 nodes: half of 3 published jobs are predicted within 2%");
  expect(accuracy.textContent).toContain("fitted to these jobs");
});

it("lists published runs beside their physical limits, the nearest first", async () => {
  await open();
  const limits = screen.getByRole("region", { name: "Physical limits" });
  expect(limits.textContent).toContain("None of 2 published runs is faster than the physical limit of its hardware");
  expect(limits.textContent).toContain("the nearest takes 1.5 times its limit.");
  expect(limits.textContent).toContain("Of 1 more the sources state neither disks nor network.");
  const cells = [...limits.querySelectorAll("tbody tr")].map((row) => row.firstElementChild?.textContent);
  expect(cells).toEqual(["a scan", "a sort"]);
});
