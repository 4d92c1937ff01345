import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { useState } from "react";
import { expect, it } from "vitest";
import type { Chart, OutlookAnswer, Table } from "@/api/generated";
import { OutlookPage } from "@/features/outlook/OutlookPage";
import type { OutlookSearch } from "@/features/outlook/search";

const SENTENCE = "Over 36 months it costs $59,700 at spot prices.";
const WORKLOAD = ["100 TB", "sort"];
const ROW = { row: "60-i4i.8xlarge-own" };

const CHART: Chart = {
  kind: "chart",
  key: "outlook-monthly",
  title: "Cost of each month",
  caption: "What each month costs.",
  chart: "lines",
  x: { label: "Month", unit: "months", scale: "linear", categories: [] },
  y: { label: "Cost of a month", unit: "USD", scale: "linear", categories: [] },
  series: [],
  limits: [],
};

const MONTHS: Table = {
  kind: "table",
  key: "outlook-months",
  caption: "Each month.",
  columns: [{ key: "month", head: "Month", numeric: false }],
  rows: Array.from({ length: 36 }, (_, month) => ({ key: `${month}`, cells: [`month ${month}`], chosen: false })),
  sideways: false,
};

function answer(): OutlookAnswer {
  const drawing = { width: 720, height: 300, marks: [] };
  return {
    price_terms: null,
    feasible: true,
    sentence: SENTENCE,
    blocks: [
      { kind: "paragraph", text: SENTENCE, tone: "plain" },
      MONTHS,
      CHART,
      { kind: "paragraph", text: "Prices stay as they are.", tone: "plain" },
    ],
    drawings: { "outlook-monthly": { wide: drawing, narrow: drawing } },
    spendings: [],
    unpriced: [],
    break_evens: [],
    growth_pct_per_month: 0,
    months: 36,
    commitment: "alone",
    catalog_version: "aws-2026-07-06",
    model_version: "2",
    profiles_digest: "0",
  };
}

function Page({ begun }: { begun: OutlookSearch }) {
  const [search, setSearch] = useState(begun);
  return (
    <Surroundings>
      <output data-testid="address">{JSON.stringify(search)}</output>
      <OutlookPage search={search} onSearch={setSearch} workload={WORKLOAD} toPlan={<span>to the plan</span>} />
    </Surroundings>
  );
}

it("asks for the configuration and the workload of the address, and shows the charts before the tables", async () => {
  const asked = stubService();
  render(<Page begun={{ ...ROW, data: "10 TB", growth: "2%" }} />);
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.path).toBe("/api/v1/outlooks");
  expect(asked[0]?.body).toEqual({
    file: {
      workload: { data: "10 TB" },
      cluster: { instance: "i4i.8xlarge", nodes: 60, storage: { kind: "instance-store" } },
    },
    growth_pct_per_month: 2,
    months: 36,
    commitment: "alone",
  });
  asked[0]?.answer(200, answer());
  expect(await screen.findAllByText(SENTENCE)).toHaveLength(1);
  const picture = screen.getByRole("img", { name: /Cost of each month/ });
  const after = screen.getByText("Prices stay as they are.");
  expect(picture.compareDocumentPosition(after) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  // The table with a row per month is closed at first.
  expect(screen.queryByText("month 7")).toBeNull();
});

it("puts what is typed into the address, and keeps the last question where it cannot be read", async () => {
  const asked = stubService();
  render(<Page begun={ROW} />);
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, answer());
  const growth = screen.getByLabelText("Growth of the data a month");
  await userEvent.clear(growth);
  await userEvent.type(growth, "lots");
  expect(await screen.findByText(/like 2%/)).toBeDefined();
  await waitFor(() => expect(screen.getByTestId("address").textContent).toContain('"growth":"lots"'));
  expect(asked).toHaveLength(1);
  expect(screen.getByTestId("outlook-sentence")).toBeDefined();
});

it("says why a configuration cannot do the job", async () => {
  const asked = stubService();
  render(<Page begun={ROW} />);
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, { feasible: false, reason: "The data does not fit", limit: "capacity", nearest: "80 nodes" });
  expect(await screen.findByText("The data does not fit. Nearest: 80 nodes.")).toBeDefined();
});

it("leads to the plan where the address names no configuration", () => {
  const asked = stubService();
  render(<Page begun={{}} />);
  expect(screen.getByText(/No configuration is picked/)).toBeDefined();
  expect(screen.getByText("to the plan")).toBeDefined();
  expect(asked).toHaveLength(0);
});
