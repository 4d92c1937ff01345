import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it, vi } from "vitest";
import type { ConfidencesAnswer } from "@/api/generated";
import { OtherConfidences } from "@/features/plan/answer/OtherConfidences";

const MEDIAN: ConfidencesAnswer["others"][number] = {
  confidence: 0.5,
  instance: "i2.8xlarge",
  nodes: 160,
  meets_deadline: 0.53,
  saves_usd: 42,
  saves_share: 0.129,
  sentence: "Accepting 50% instead of 95% confidence saves $42 a run (−13%): 160 × i2.8xlarge.",
};
const NO_LIMITS = { budget_usd: null, max_nodes: null, chance: null, loss: null, rereplication_s: null };
const IN_TIME = { objective: "cost" as const, limits: { ...NO_LIMITS, deadline_s: 1_800 } };
const asked = { deadline: "30 min", budget: "" };

async function show(answer: ConfidencesAnswer) {
  const service = stubService();
  const change = vi.fn();
  const document = { workload: { data: "1 TB" } };
  render(<OtherConfidences answer={IN_TIME} document={document} question={{ asked, change }} />, {
    wrapper: Surroundings,
  });
  await until(() => service.length > 0);
  expect(service[0]?.path).toBe("/api/v1/plans/confidences");
  service[0]?.answer(200, answer);
  await until(() => service[0]?.isRead() === true);
  return change;
}

it("offers what accepting more risk saves, and asks with it", async () => {
  const change = await show({ confidence: 0.95, others: [MEDIAN], elapsed_s: 0.1 });
  expect(await screen.findByText("Instead of 95% confidence:")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "50% saves $42 a run (−13%): 160 × i2.8xlarge" }));
  expect(change).toHaveBeenCalledExactlyOnceWith({ chance: "50 %" }, "new entry");
});

it("says what the usual confidence costs where less was chosen", async () => {
  const usual = { ...MEDIAN, confidence: 0.95, nodes: 178, saves_usd: -42, saves_share: -0.148 };
  const change = await show({ confidence: 0.5, others: [usual], elapsed_s: 0.1 });
  await userEvent.click(
    await screen.findByRole("button", { name: "95% costs $42 a run more (+15%): 178 × i2.8xlarge" }),
  );
  expect(change).toHaveBeenCalledExactlyOnceWith({ chance: "95 %" }, "new entry");
});

it("asks nothing without a deadline, and nothing of a saved plan", async () => {
  const service = stubService();
  const question = { asked, change: vi.fn() };
  const late = { ...IN_TIME, limits: { ...NO_LIMITS, deadline_s: null } };
  render(
    <>
      <OtherConfidences answer={late} document={{ objective: "cost" }} question={question} />
      <OtherConfidences answer={IN_TIME} document={{ objective: "time" }} question={undefined} />
      <OtherConfidences answer={IN_TIME} document={{ objective: "month" }} question={question} />
    </>,
    { wrapper: Surroundings },
  );
  await until(() => service.length > 0);
  expect(service.map(({ body }) => body)).toEqual([{ objective: "month" }]);
});

it("has no line where no other confidence saves or costs anything", async () => {
  await show({ confidence: 0.95, others: [], elapsed_s: 0.1 });
  expect(screen.queryByRole("group")).toBeNull();
});

it("has no line where the comparison fails, and none of the earlier question", async () => {
  const service = stubService();
  const at = (document: object) => (
    <OtherConfidences answer={IN_TIME} document={{ ...document }} question={{ asked, change: vi.fn() }} />
  );
  const { rerender } = render(at({ workload: { data: "1 TB" } }), { wrapper: Surroundings });
  await until(() => service.length > 0);
  service[0]?.answer(200, { confidence: 0.95, others: [MEDIAN], elapsed_s: 0.1 });
  const group = await screen.findByRole("group", { name: "Other confidences" });
  expect(group.dataset["stale"]).toBeUndefined();
  rerender(at({ workload: { data: "2 TB" } }));
  expect(group.dataset["stale"]).toBe("true");
  await waitFor(() => expect(service).toHaveLength(2));
  service[1]?.answer(422, { type: "about:blank", title: "", detail: "", status: 422, errors: [] });
  await waitFor(() => expect(screen.queryByRole("group")).toBeNull());
});
