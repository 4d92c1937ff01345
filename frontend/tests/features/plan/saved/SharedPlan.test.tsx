import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import type { PlanAnswer, SavedPlanAnswer } from "@/api/generated";
import { SharedPlan } from "@/features/plan/saved/SharedPlan";

const saved = {
  id: "7",
  name: "Nightly",
  answer: plan as unknown as PlanAnswer,
  decided: { today: null, pins: [], durabilities: [], notes: "" },
} as unknown as SavedPlanAnswer;

it("filters all of the ranking of a shared plan, through its link and with no team", async () => {
  const asked = stubService();
  render(<SharedPlan plan={saved} secret="the-secret-of-the-link" />, { wrapper: Surroundings });
  await userEvent.type(screen.getByRole("searchbox", { name: "Filter the ranking" }), "d3en");
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.path).toBe("/api/v1/shared/the-secret-of-the-link/ranking");
  expect(Object.fromEntries(asked[0]?.search ?? [])).toEqual({ find: "d3en", limit: "50" });
  const behind = { ...plan.configurations[0], instance: "d3en.xlarge", rank: 61 };
  const page = { configurations: [behind], matching: 1, total: 164, incomplete: null, next_cursor: null };
  act(() => asked[0]?.answer(200, page));
  expect(await screen.findByText("519 × d3en.xlarge")).toBeDefined();
  expect(screen.getByTestId("rows-shown").textContent).toBe("1 of 1 row with “d3en” shown; the ranking has 164.");
});

it("has no button in the table of the chart, as guests can neither open nor pin a configuration", async () => {
  stubService();
  render(<SharedPlan plan={saved} secret="the-secret-of-the-link" />, { wrapper: Surroundings });
  await userEvent.click(screen.getByRole("button", { name: "Data of “Cost against time”" }));
  const table = screen.getByText("Part of").closest("table") as HTMLElement;
  expect(within(table).getAllByText(/× m1\.xlarge/).length).toBeGreaterThan(0);
  expect(within(table).queryByRole("button")).toBeNull();
});
