import { fireEvent, render, screen } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { beforeEach, expect, it } from "vitest";
import { FirstStep } from "@/ui/FirstStep";

beforeEach(() => localStorage.clear());

function show() {
  return render(
    <>
      <FirstStep number={1} />
      <FirstStep number={2} />
      <FirstStep number={3} />
    </>,
    { wrapper: Surroundings },
  );
}

it("hides all steps for good where one is hidden", () => {
  const { unmount } = show();
  expect(screen.getAllByText(/^Step \d of 3\.$/)).toHaveLength(3);
  fireEvent.click(screen.getByRole("button", { name: "Hide the first steps (at step 2)" }));
  expect(screen.queryByText(/^Step \d of 3\.$/)).toBeNull();
  unmount();
  show();
  expect(screen.queryByText(/^Step \d of 3\.$/)).toBeNull();
});

it("says what is left of a step that is done in part", () => {
  render(<FirstStep number={3} words="Save the plan." />, { wrapper: Surroundings });
  expect(screen.getByText("Save the plan.", { exact: false })).toBeTruthy();
  expect(screen.queryByText(/what you run today/)).toBeNull();
});
