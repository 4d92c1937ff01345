// The same charts by the page's own component, with its frame.

import { MantineProvider } from "@mantine/core";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Chart } from "@/charts/Chart";
import { type Figure, plane } from "@/charts/figure";
import { cellsAt, high, lineAt, low, spotsAt, spotXs, xs } from "./data";
import { type Draw, measure } from "./measure";

const nothing = () => undefined;
const AXES = {
  steps: { of: "amount", low: 0, high: 500, log: false, title: "step" },
  rates: { of: "amount", low: 0, high: Math.max(...high), log: false, title: "MB/s" },
  sizes: { of: "amount", low: 9, high: 11_000, log: true, title: "GB" },
  speeds: { of: "amount", low: 3, high: 35_000, log: true, title: "MB/s" },
} as const;

function line(data: number, at: number): Figure {
  return plane({
    height: 312,
    x: AXES.steps,
    y: AXES.rates,
    marks: [
      { kind: "band", key: "band", points: xs.map((x, index) => ({ x, low: low[index], high: high[index] })), opacity: 0.13 },
      { kind: "line", key: "line", points: lineAt(data).map((y, x) => ({ x, y })) },
      { kind: "rule", key: "rule", along: "x", at: 100 + at, dash: "6 4" },
    ],
  });
}

function scatter(data: number, at: number): Figure {
  const points = spotsAt(data).map((y, index) => ({ key: `${index}`, x: spotXs[index] ?? 0, y, words: [`type ${index}`] }));
  return plane({
    height: 312,
    x: AXES.sizes,
    y: AXES.speeds,
    marks: [
      { kind: "points", key: "points", points },
      { kind: "rule", key: "rule", along: "x", at: 100 + 10 * at, dash: "6 4" },
    ],
  });
}

function heat(data: number): Figure {
  const cells = cellsAt(data).map((row) =>
    row.map((value) => ({ text: `${value}`, brief: `${value}`, fill: `hsl(${200 - value / 3} 60% 75%)`, rest: "" })),
  );
  const heads = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  return {
    kind: "cells",
    columns: { title: "column", values: heads(cells[0]?.length ?? 0) },
    rows: { title: "row", values: heads(cells.length) },
    cell: ({ column, row }) => cells[row]?.[column],
    missing: "none",
    open: null,
    onOpen: nothing,
  };
}

function drawn(figure: (data: number, at: number) => Figure, drags = true): Draw {
  return async (root) => {
    const react = createRoot(root);
    const draw = (data: number, at: number) =>
      react.render(
        <MantineProvider>
          <Chart title="Chart" label="Chart" filename="chart" data={() => ({ columns: [], rows: [] })} figure={figure(data, at)} />
        </MantineProvider>,
      );
    draw(0, 0);
    while (root.querySelector("svg text") === null) await new Promise(requestAnimationFrame);
    return {
      data: (step) => flushSync(() => draw(step, 0)),
      ...(drags && { rule: (step) => flushSync(() => draw(0, step)) }),
    };
  };
}

void measure({ line: drawn(line), scatter: drawn(scatter), heat: drawn(heat, false) });
