import { fireEvent, render, screen } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { expect, it, vi } from "vitest";
import { Chart } from "@/charts/Chart";
import { type Mark, type PlaneFigure, plane } from "@/charts/figure";
import { layoutOf } from "@/charts/plot/layout";

const AXIS = { of: "amount", low: 0, high: 10, log: false } as const;

function figureOf(marks: readonly Mark[], more: Partial<PlaneFigure> = {}): PlaneFigure {
  return plane({ height: 200, x: AXIS, y: AXIS, marks, ...more });
}

const POINTS: Mark = {
  kind: "points",
  key: "points",
  points: [
    { key: "a", x: 2, y: 5, words: ["the first", "2 s"] },
    { key: "b", x: 8, y: 5, words: ["the second", "8 s"] },
    { key: "c", x: 5, y: 5 },
  ],
};

/** jsdom has no layout: the width is given. */
function show(figure: PlaneFigure, onPick?: (key: string) => void) {
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => {
    run();
    return 0;
  });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly seen: (entries: unknown[]) => void;
      constructor(seen: (entries: unknown[]) => void) {
        this.seen = seen;
      }
      observe(): void {
        this.seen([{ contentRect: { width: 800, height: 300 } }]);
      }
      unobserve(): void {}
      disconnect(): void {}
    },
  );
  const data = { columns: [], rows: [] };
  render(<Chart title="Some" label="some points" filename="some" data={() => data} figure={figure} onPick={onPick} />, {
    wrapper: Surroundings,
  });
}

/** Point at a value of the figure. */
function pointAt(picture: Element, figure: PlaneFigure, x: number, y: number) {
  const [panel] = layoutOf(figure, 800).panels;
  const at = { clientX: panel?.plane.x(x) ?? 0, clientY: panel?.plane.y(y) ?? 0 };
  fireEvent(picture, new MouseEvent("pointermove", { bubbles: true, ...at }));
}

it("shows the words of the nearest point, and picks it", () => {
  const onPick = vi.fn();
  const figure = figureOf([POINTS]);
  show(figure, onPick);
  const picture = screen.getByRole("img", { name: "some points" });
  pointAt(picture, figure, 7.9, 5.2);
  expect(screen.getByTestId("tip").textContent).toBe("the second8 s");
  fireEvent.click(picture);
  expect(onPick.mock.calls).toEqual([["b"]]);
  fireEvent.pointerLeave(picture);
  expect(screen.queryByTestId("tip")).toBeNull();
});

it("is silent where no point is near, and on points without words", () => {
  const figure = figureOf([POINTS]);
  show(figure);
  pointAt(screen.getByRole("img", { name: "some points" }), figure, 5, 5);
  expect(screen.queryByTestId("tip")).toBeNull();
});

it("shows the words of a line or a band under the pointer", () => {
  const points = [0, 10].map((x) => ({ x, low: 4, high: 6 }));
  const figure = figureOf([{ kind: "band", key: "band", points, opacity: 0.1, words: "4 to 6" }]);
  show(figure);
  const band = screen.getByRole("img", { name: "some points" }).querySelector("[data-words] path");
  if (band === null) throw new Error("no band");
  pointAt(band, figure, 5, 5);
  expect(screen.getByTestId("tip").textContent).toBe("4 to 6");
});

it("counts only points with words as options of a list", () => {
  show(figureOf([POINTS], { list: true }));
  expect(screen.getAllByRole("option").map((option) => option.getAttribute("aria-label"))).toEqual([
    "the first. 2 s",
    "the second. 8 s",
  ]);
});

it("leaves room for the texts of both sides, and stacks its panels", () => {
  const line = { kind: "line", key: "line", points: [{ x: 0, y: 1 }], name: ["a rather long name"] } as const;
  const [plain, named] = [figureOf([POINTS]), figureOf([line])];
  const widthOfPlot = (figure: PlaneFigure) => layoutOf(figure, 800).panels[0]?.plane.frame.width ?? 0;
  expect(widthOfPlot(plain) - widthOfPlot(named)).toBeGreaterThan(100);
  const two = {
    ...plain,
    panels: plain.panels.flatMap((panel) => [panel, { ...panel, key: "below", title: "Below" }]),
  };
  const [above, below] = layoutOf(two, 800).panels.map(({ plane: { frame } }) => frame);
  expect(below?.top).toBeGreaterThan((above?.top ?? 0) + (above?.height ?? 0));
  expect(layoutOf(two, 800).height).toBeGreaterThan((below?.top ?? 0) + (below?.height ?? 0));
});
