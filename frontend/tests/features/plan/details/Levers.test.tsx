import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import fixture from "@tests/fixtures/explanation.json";
import { Surroundings } from "@tests/render";
import { expect, it } from "vitest";
import type { ExplanationAnswer } from "@/api/generated";
import { WhyItLost } from "@/features/plan/details/Explained";
import { bySaving, Levers } from "@/features/plan/details/Levers";

const explanation = fixture as unknown as ExplanationAnswer;
const explained = { explanation, current: true, error: null, retry: () => undefined };

it("puts what saves most first, and what fits nothing last", () => {
  const impossible = { ...explanation.next_dollar[0], saved_usd: null } as ExplanationAnswer["next_dollar"][number];
  const sorted = bySaving([impossible, ...explanation.next_dollar]).map(({ saved_usd }) => saved_usd);
  expect(sorted).toEqual([...sorted].sort((a, b) => (b ?? -Infinity) - (a ?? -Infinity)));
  expect(sorted.at(-1)).toBeNull();
});

it("draws what the next dollar buys, with a sentence for each and all of it as a table", async () => {
  render(<Levers explained={explained} />, { wrapper: Surroundings });
  const section = screen.getByRole("region", { name: "Cost sensitivity" });
  const [first] = bySaving(explanation.next_dollar);
  expect(within(section).getByRole("img").getAttribute("aria-label")).toMatch(/^network \+10%: saves \$19\.30/);
  expect(screen.getByTestId("next-dollar").firstChild?.textContent).toBe(first?.sentence);
  await userEvent.click(within(section).getByRole("button", { name: /^Data of/ }));
  expect(within(section).getAllByRole("row")).toHaveLength(1 + explanation.next_dollar.length);
});

it("draws what the network costs, as it is and as it might be", () => {
  render(<Levers explained={explained} />, { wrapper: Surroundings });
  const section = screen.getByRole("region", { name: "What the network costs" });
  expect(within(section).getByRole("img").getAttribute("aria-label")).toBe(
    "infinitely fast network: $301, 14 min 39 s, network that scales ideally: $349, 17 min 30 s, " +
      "network as it was observed: $388, 19 min 47 s",
  );
});

it("says phase by phase why a configuration lost, and what would have to be true", () => {
  render(<WhyItLost explained={explained} name="150 × i2.8xlarge" />, { wrapper: Surroundings });
  expect(screen.getByTestId("explained").textContent).toBe(explanation.sentence);
  expect(screen.getByRole("row", { name: /map and shuffle/ }).textContent).toContain("0.67\u00a0×");
  expect(within(screen.getByTestId("overturn")).getAllByRole("listitem")).toHaveLength(explanation.overturn.length);
});

it("says what is being done, and what went wrong", () => {
  const nothing = { ...explained, explanation: undefined };
  const { rerender } = render(<Levers explained={nothing} />, { wrapper: Surroundings });
  expect(screen.getByRole("status", { name: "Computing cost sensitivity" })).toBeDefined();
  rerender(<Levers explained={{ ...nothing, error: new Error("no") }} />);
  expect(screen.getByRole("alert").textContent).toContain("The rest is still there.");
});
