import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import type { Decided } from "@/api/generated";
import { SaveButton } from "@/features/plan/saved/SaveButton";

const TODAY = { instance: "i3.4xlarge", nodes: 60, storage: { kind: "instance-store" } } as Decided["today"];
const PIN = { workload: { data: "1 TB" } } as unknown as NonNullable<Decided["pins"]>[number];
const NONE = "No baseline is entered, so the plan states no saving; you can add it later.";

it.each([
  [{ today: TODAY, pins: [] }, "Saved with the baseline."],
  [{ today: TODAY, pins: [PIN] }, "Saved with the baseline and 1 pin."],
  [{ today: null, pins: [] }, NONE],
  [{ today: null, pins: [PIN, PIN] }, `Saved with 2 pins. ${NONE}`],
])("names what is saved besides the answer: %j", async (decided, words) => {
  stubService();
  render(<SaveButton document={{}} decided={() => decided} disabled={false} onSaved={() => undefined} />, {
    wrapper: Surroundings,
  });
  await userEvent.click(screen.getByRole("button", { name: "Save plan" }));
  expect((await screen.findByText(/^(Saved with|No baseline)/)).textContent).toBe(words);
});
