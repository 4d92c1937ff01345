import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { asText, type ChartData, ChartFrame, useChartPicture } from "@/charts/ChartFrame";
import { Surroundings } from "./render";

const DATA: ChartData = {
  columns: [
    { head: "Type", copied: "type" },
    { head: "Time", copied: "time_s", number: true },
  ],
  rows: [{ key: "a", cells: ["i2\t8xlarge", { shown: "1 min", copied: 60.25 }] }],
};

it("copies a table that a spreadsheet takes: all digits, units in the heads, no stray tabs", () => {
  expect(asText(DATA)).toBe("type\ttime_s\ni2 8xlarge\t60.25");
});

it("shows the data on demand, and builds it only then", async () => {
  const data = vi.fn(() => DATA);
  render(
    <ChartFrame title="Some chart" filename="some" data={data}>
      <svg role="img" aria-label="bars" />
    </ChartFrame>,
    { wrapper: Surroundings },
  );
  expect(data).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Data of “Some chart”" }));
  expect(screen.getByRole("cell", { name: "1 min" })).toBeDefined();
});

it("saves by what the chart offers", async () => {
  const save = vi.fn(async () => undefined);
  function Offers() {
    useChartPicture(save);
    return <div />;
  }
  render(
    <ChartFrame title="Some chart" filename="some" data={() => DATA}>
      <Offers />
    </ChartFrame>,
    { wrapper: Surroundings },
  );
  await userEvent.click(screen.getByRole("button", { name: "Save as PNG: Some chart" }));
  expect(save).toHaveBeenCalledWith("png", "some");
});
