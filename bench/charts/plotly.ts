// The charts as the page drew them by Plotly: no mode bar, fixed ranges.

import Plotly from "plotly.js-cartesian-dist-min";
import { cellsAt, high, lineAt, low, spotsAt, spotXs, xs } from "./data";
import { type Draw, measure } from "./measure";

const CONFIG = { displayModeBar: false, showTips: false, doubleClick: false };
const LAYOUT = {
  width: 900,
  height: 392,
  margin: { l: 72, r: 14, t: 34, b: 46 },
  showlegend: false,
  dragmode: false,
  hovermode: "closest",
};
const AXIS = { fixedrange: true };
const LOG = { ...AXIS, type: "log" };
const BAND = { x: [...xs, ...xs.toReversed()], y: [...high, ...low.toReversed()], fill: "toself", mode: "lines" };

const rule = (x: number) => [{ type: "line", x0: x, x1: x, yref: "paper", y0: 0, y1: 1, line: { dash: "dash" } }];

/** Draw traces in a layout; `at` is the place of the line at a step. */
function drawn(traces: (step: number) => unknown[], layout: object, at?: (step: number) => number): Draw {
  return async (root) => {
    const whole = { ...LAYOUT, ...layout, ...(at && { shapes: rule(at(0)) }) };
    await Plotly.react(root, traces(0), whole, CONFIG);
    return {
      data: (step) => Plotly.react(root, traces(step), whole, CONFIG),
      ...(at && { rule: (step) => Plotly.relayout(root, { "shapes[0].x0": at(step), "shapes[0].x1": at(step) }) }),
    };
  };
}

void measure({
  line: drawn(
    (step) => [
      { ...BAND, line: { width: 0 }, hoverinfo: "skip" },
      { x: xs, y: lineAt(step), mode: "lines" },
    ],
    { xaxis: { ...AXIS, title: { text: "step" } }, yaxis: { ...AXIS, title: { text: "MB/s" } } },
    (step) => 100 + step,
  ),
  scatter: drawn(
    (step) => [{ x: spotXs, y: spotsAt(step), text: xs.map((index) => `type ${index}`), mode: "markers" }],
    { xaxis: { ...LOG, title: { text: "GB" } }, yaxis: { ...LOG, title: { text: "MB/s" } } },
    (step) => 100 + 10 * step,
  ),
  heat: drawn(
    (step) => [{ z: cellsAt(step), type: "heatmap", texttemplate: "%{z}", showscale: false, xgap: 1, ygap: 1 }],
    { height: 692, xaxis: AXIS, yaxis: { ...AXIS, autorange: "reversed" } },
  ),
});
