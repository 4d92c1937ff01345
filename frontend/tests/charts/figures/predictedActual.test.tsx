import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { expect, it, vi } from "vitest";
import type { Axis } from "@/charts/axes/axis";
import { axisTicks } from "@/charts/axes/chartAxis";
import { planeOf } from "@/charts/axes/plane";
import {
  bandPoints,
  type ComparedPoint,
  comparedAxes,
  comparedLabels,
  perfectLine,
  predictedFigure,
} from "@/charts/figures/predictedActual";
import { Plot } from "@/charts/plot/Plot";

const FRAME = { left: 60, top: 10, width: 700, height: 400 };

function point(key: string, actual: number, predicted: number, more: Partial<ComparedPoint> = {}): ComparedPoint {
  return {
    key,
    name: `case ${key}`,
    facts: [`predicted ${predicted} s`, `actual ${actual} s`],
    kind: "predicted",
    group: "job time",
    predicted,
    actual,
    range: null,
    bound: null,
    label: null,
    faint: false,
    ...more,
  };
}

const POINTS = [
  point("large", 1e6, 1.2e6, { range: { p10: 0.9e6, p90: 1.5e6 } }),
  point("small", 0.01, 0.01, { kind: "fitted", group: "price" }),
  point("middle", 100, 60, { bound: "above", label: "the middle one" }),
];

it("gives both axes one span, over every figure and its range", () => {
  const axes = comparedAxes(POINTS, "predicted");
  expect(axes.up).toEqual(axes.actual);
  expect(axes.up.low).toBeLessThan(0.01);
  expect(axes.up.high).toBeGreaterThan(1.5e6);
  // A perfect prediction stands on the diagonal of the frame.
  const plane = planeOf(FRAME, { x: axes.actual, y: axes.up });
  const [x, y] = [plane.x(0.01), plane.y(0.01)];
  expect((x - FRAME.left) / FRAME.width).toBeCloseTo(1 - (y - FRAME.top) / FRAME.height);
});

it("puts a perfect prediction on a level line where it shows how many times the actual figure each is", () => {
  const axes = comparedAxes(POINTS, "ratio");
  expect(axes.up.low).toBeLessThan(0.6);
  expect(axes.up.high).toBeGreaterThan(1.5);
  const [from, to] = perfectLine(axes, "ratio");
  expect(from.y).toBe(to.y);
  const marks = predictedFigure(POINTS, "ratio").panels.flatMap((panel) => panel.marks);
  const points = marks.flatMap((mark) => (mark.kind === "points" ? mark.points : []));
  expect(points.find(({ key }) => key === "small")?.y).toBe(from.y);
});

it("draws the band from 15% too little to 15% too much", () => {
  const axis = { low: 1, high: 1_000, log: true };
  const band = bandPoints({ actual: axis, up: axis }, "predicted");
  expect(band[0]).toEqual({ x: 1, low: 1, high: 1.15 });
  expect(band.at(-1)).toEqual({ x: 1_000, low: 850, high: 1_000 });
  // Its edges leave the plot where they meet the ends of the axes.
  expect(band[1]?.low).toBeCloseTo(1, 9);
  expect(band[2]?.high).toBeCloseTo(1_000, 9);
  const level = { actual: axis, up: { low: 0.5, high: 2, log: true } };
  expect(bandPoints(level, "ratio")[0]).toEqual({ x: 1, low: 0.85, high: 1.15 });
});

it("ticks at powers of ten, as many as there is room for, and finer where there are few", () => {
  const wide = { low: 0.005, high: 3e6, log: true };
  const ticks = (axis: Axis) => axisTicks({ of: "amount", ...axis }, 540, "x");
  expect(ticks(wide).map(({ text }) => text)).toEqual(["0.01", "1", "100", "10k", "1M"]);
  expect(ticks({ low: 80, high: 1_200, log: true }).map(({ value }) => value)).toEqual([100, 200, 500, 1_000]);
});

it("puts a label inside the frame, however long", () => {
  const named = point("a", 1, 1, { label: "a very long description of what was measured there" });
  const points = [named, point("b", 1e6, 1e6)];
  const axes = comparedAxes(points, "predicted");
  const [label] = comparedLabels(points, planeOf(FRAME, { x: axes.actual, y: axes.up }), "predicted");
  expect(label?.text.endsWith("…")).toBe(true);
  expect(label?.x).toBeGreaterThanOrEqual(FRAME.left);
  expect(label?.y).toBeLessThanOrEqual(FRAME.top + FRAME.height);
});

/** jsdom has no layout: what is measured is given. */
function withWidth(width: number) {
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => {
    run();
    return 0;
  });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly told: (entries: unknown[]) => void;
      constructor(told: (entries: unknown[]) => void) {
        this.told = told;
      }
      observe(): void {
        this.told([{ contentRect: { width, height: 400 } }]);
      }
      unobserve(): void {}
      disconnect(): void {}
    },
  );
}

function show(selected?: string) {
  withWidth(800);
  const onPick = vi.fn();
  render(<Plot figure={predictedFigure(POINTS, "predicted")} selected={selected} label="the marks" onPick={onPick} />, {
    wrapper: Surroundings,
  });
  return { onPick, marks: screen.getAllByRole("option"), user: userEvent.setup() };
}

it("is a list to the keyboard: along the diagonal by arrows, picked by Enter, all digits said", async () => {
  const { onPick, marks, user } = show();
  expect(marks.map((mark) => mark.getAttribute("aria-label"))).toEqual([
    "case small. predicted 0.01 s. actual 0.01 s",
    "case middle. predicted 60 s. actual 100 s",
    "case large. predicted 1200000 s. actual 1000000 s",
  ]);
  await user.tab();
  expect(document.activeElement).toBe(marks[0]);
  await user.keyboard("{ArrowRight}{Enter}");
  expect(document.activeElement).toBe(marks[1]);
  expect(onPick.mock.calls).toEqual([["middle"]]);
  expect(screen.getByTestId("tip").textContent).toBe("case middlepredicted 60 sactual 100 s");
  await user.keyboard("{End}");
  expect(screen.getByTestId("tip").textContent).toContain("1200000 s");
  await user.keyboard("{Escape}");
  expect(screen.queryByTestId("tip")).toBeNull();
  await user.keyboard("{Home}");
  expect(document.activeElement).toBe(marks[0]);
});

it("says all digits under the pointer, picks by click, and marks what is selected", async () => {
  const { onPick, marks, user } = show("large");
  expect(marks.map((mark) => mark.getAttribute("aria-selected"))).toEqual(["false", "false", "true"]);
  await user.hover(marks[2] as Element);
  expect(screen.getByTestId("tip").textContent).toContain("1200000 s");
  await user.click(marks[0] as Element);
  expect(onPick.mock.calls).toEqual([["small"]]);
});
