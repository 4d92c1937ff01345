import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { RISK_LEVELS } from "@/api/generated/registry.gen";
import { riskLevel } from "@/lib/wording";
import { Risk } from "@/ui/values/Risk";

describe("the risk of missing a deadline", () => {
  it.each([
    [1, "low"],
    [0.97, "low"],
    // Searches for 95% end within rounding of it.
    [0.95 - 1e-12, "low"],
    [0.9499, "moderate"],
    [0.8, "moderate"],
    [0.53, "high"],
    [0, "high"],
  ])("is named: met with %d is %s", (met, level) => expect(riskLevel(met)).toBe(level));

  it("shows figure and level, with another symbol and color for each level", () => {
    const mets = RISK_LEVELS.map(({ most }) => 1 - most);
    render(mets.map((met) => <Risk key={met} met={met} />));
    const shown = [screen.getByText(/5% low/), screen.getByText(/20% moderate/), screen.getByText(/100% high/)];
    expect(new Set(shown.map((each) => each.firstChild?.textContent)).size).toBe(3);
    expect(new Set(shown.map((each) => each.style.color)).size).toBe(3);
  });

  it("is a phrase where asked for", () => {
    render(<Risk met={0.9} as="word" />);
    expect(screen.getByText(/moderate risk/).title).toMatch(/^Risk of missing the deadline: 9\.9/);
  });
});
