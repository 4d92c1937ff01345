import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { expect, it, vi } from "vitest";
import type { Chart, Drawing as DrawingData, Label, Point, Rect } from "@/api/generated";
import { Drawing } from "@/charts/report/Drawing";
import { ReportChart } from "@/charts/report/ReportChart";
import { reportChartData } from "@/charts/report/reportChart";

const MARKUP = "<img src=x onerror=alert(1)>";

function label(text: string, style = "text"): Label {
  return { kind: "label", x: 1, y: 12, text, style, size: 12, anchor: "start", rotate: 0 };
}

const BAR: Rect = {
  kind: "rect",
  x: 0,
  y: 20,
  width: 100,
  height: 26,
  style: "local-disk",
  form: "fill",
  pattern: "stripes",
  title: "sort: 10 min",
};

function drawing(width: number, text: string): DrawingData {
  return { width, height: 60, marks: [label(text), BAR] };
}

const DRAWINGS = { wide: drawing(720, "wide words"), narrow: drawing(340, "narrow words") };

function point(x: number, y: number, more: Partial<Point> = {}): Point {
  return { x, y, low: null, high: null, label: null, value: null, ringed: false, near_tie: false, ...more };
}

const CHART: Chart = {
  kind: "chart",
  key: "late",
  title: "Chance to be late",
  caption: "The second is late more often.",
  chart: "bars",
  x: { label: "Chance", unit: "1", scale: "linear", categories: [] },
  y: { label: "", unit: "", scale: "categories", categories: ["178 × i2.8xlarge", MARKUP] },
  series: [
    {
      name: "late",
      points: [point(0.0088, 0, { low: 0.004, high: 0.02 }), point(0.25, 1)],
      drawn: "bars",
      resource: null,
      faint: false,
      shades: "steps",
      family: null,
      strength: 0.5,
    },
  ],
  limits: [],
};

/** Say how wide everything on the page is. */
function roomOf(width: number) {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly said: ResizeObserverCallback;
      constructor(said: ResizeObserverCallback) {
        this.said = said;
      }
      observe(target: Element) {
        const contentRect = { width, height: 300 } as DOMRectReadOnly;
        this.said([{ target, contentRect } as ResizeObserverEntry], this as unknown as ResizeObserver);
      }
      unobserve() {}
      disconnect() {}
    },
  );
  vi.stubGlobal("requestAnimationFrame", (now: FrameRequestCallback) => {
    now(0);
    return 0;
  });
}

function chart() {
  render(<ReportChart chart={CHART} drawings={DRAWINGS} level={3} />, { wrapper: Surroundings });
}

it("draws the wide drawing where there is room, said by its title and caption", () => {
  roomOf(800);
  chart();
  const picture = screen.getByRole("img", { name: "Chance to be late. The second is late more often." });
  expect(within(picture).getByText("wide words")).toBeDefined();
  expect(screen.queryByText("narrow words")).toBeNull();
});

it("draws the narrow one where there is little, and keeps the wide one for paper only", () => {
  roomOf(330);
  chart();
  const pictures = screen.getAllByRole("img");
  expect(pictures).toHaveLength(1);
  expect(pictures[0]?.textContent).toContain("narrow words");
  const paper = screen.getByText("wide words").closest("svg");
  expect(paper?.getAttribute("aria-hidden")).toBe("true");
});

it("says what a shape means where the pointer rests, and lays its pattern over it", () => {
  const { container } = render(<Drawing drawing={DRAWINGS.wide} label="bars" />);
  expect(container.querySelector("rect > title")?.textContent).toBe("sort: 10 min");
  const pattern = container.querySelector("pattern");
  expect(container.querySelector(`rect[fill="url(#${pattern?.id})"]`)).not.toBeNull();
});

it("shows what people wrote as text, and where it turns the line around, that it does", () => {
  const marks = [label(MARKUP), label("invoice\u202Egnp.exe")];
  const { container } = render(<Drawing drawing={{ width: 720, height: 60, marks }} label={MARKUP} />);
  expect(container.querySelector("img")).toBeNull();
  expect(screen.getByText(MARKUP)).toBeDefined();
  expect(container.textContent).not.toContain("\u202E");
});

it("gives every drawing on a page patterns of its own", () => {
  const { container } = render(
    <>
      <Drawing drawing={DRAWINGS.wide} label="one" />
      <Drawing drawing={DRAWINGS.narrow} label="other" />
    </>,
  );
  const ids = [...container.querySelectorAll("pattern")].map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});

it("gives the data as a table, with all digits to copy", () => {
  const { columns, rows } = reportChartData(CHART);
  expect(columns.map(({ head }) => head)).toEqual(["Series", "Where", "Chance", "p10", "p90"]);
  expect(rows.map(({ cells }) => cells)).toEqual([
    [
      "late",
      "178 × i2.8xlarge",
      { shown: "0.88%", copied: 0.0088 },
      { shown: "0.4%", copied: 0.004 },
      { shown: "2%", copied: 0.02 },
    ],
    ["late", MARKUP, { shown: "25%", copied: 0.25 }, "", ""],
  ]);
});

it("has its data at hand even without a drawing", async () => {
  render(<ReportChart chart={CHART} drawings={undefined} />, { wrapper: Surroundings });
  expect(screen.queryByRole("img")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Data of “Chance to be late”" }));
  expect(screen.getByRole("cell", { name: "25%" })).toBeDefined();
});
