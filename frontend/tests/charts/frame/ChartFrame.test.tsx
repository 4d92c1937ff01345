import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { expect, it, vi } from "vitest";
import { asText, type ChartData, ChartFrame } from "@/charts/frame/ChartFrame";

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

const CAPTION = (
  <>
    The cheapest of all takes 26 min and costs $58: <b>■</b> <span>disks</span>, <b>●</b> <span>network</span>.
  </>
);

it("saves what the chart draws under its title and caption", async () => {
  const saved: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => `blob:${saved.push(blob as Blob)}`);
  vi.spyOn(URL, "revokeObjectURL").mockImplementation(() => undefined);
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  vi.spyOn(SVGElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 200, 100));
  render(
    <ChartFrame title="Cost & time" caption={CAPTION} filename="some" data={() => DATA}>
      <svg role="img" aria-label="bars">
        <g id="drawn" data-words="98 nodes: 26 min" />
      </svg>
    </ChartFrame>,
    { wrapper: Surroundings },
  );
  await userEvent.click(screen.getByRole("button", { name: "Save as SVG: Cost & time" }));
  await waitFor(() => expect(saved).toHaveLength(1));
  const file = new DOMParser().parseFromString(await (saved[0] as Blob).text(), "image/svg+xml");
  const [title, ...lines] = [...file.querySelectorAll("text")].map(({ textContent }) => textContent);
  expect(title).toBe("Cost & time");
  // Broken into lines that the drawing is wide enough for.
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join(" ")).toBe("The cheapest of all takes 26 min and costs $58: ■ disks, ● network.");
  // A viewer of the file shows the same words on hover.
  expect(file.querySelector("#drawn > title")?.textContent).toBe("98 nodes: 26 min");
  expect(Number(file.documentElement.getAttribute("height"))).toBeGreaterThan(100);
});
