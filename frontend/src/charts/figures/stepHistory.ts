import { type Mark, type PlaneFigure, plane } from "@/charts/figure";
import { day, usd } from "@/lib/wording";
import { dates, fromZero } from "./axes";

/** Value from a day [ISO date] until the next step. */
export interface Step {
  day: string;
  value: number;
}

export interface StepSeries {
  name: string;
  steps: readonly Step[];
}

const HEIGHT_PX = 164;
const DAY_MS = 86_400_000;
const DASHES = [undefined, "6 3", "2 3", "8 3 2 3"];
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"];

/** Draw amounts [USD] that change from day to day, with a label at the end of each series. */
export function stepsFigure(series: readonly StepSeries[], until: string): PlaneFigure {
  const days = series.flatMap(({ steps }) => steps.map((step) => Date.parse(step.day)));
  const [from, to] = [Math.min(...days), Math.max(Date.parse(until), ...days)];
  const ends = [from, to].map((value) => ({ value, text: day(new Date(value).toISOString()) }));
  return plane({
    height: HEIGHT_PX,
    x: { ...dates(from, Math.max(from + DAY_MS, to)), ticks: ends },
    y: { ...fromZero(series.flatMap(({ steps }) => steps.map(({ value }) => value))), words: usd },
    marks: series.flatMap((one, index) => marksOf(one, index, to)),
  });
}

function marksOf({ name, steps }: StepSeries, index: number, until: number): Mark[] {
  const colour = COLOURS[index % COLOURS.length] ?? "";
  const spots = steps.map((step) => ({ x: Date.parse(step.day), y: step.value, day: step.day }));
  return [
    {
      kind: "line",
      key: name,
      points: spots,
      colour,
      dash: DASHES[index % DASHES.length],
      width: 2,
      steps: true,
      until,
      name: [name],
    },
    {
      kind: "points",
      key: `${name} steps`,
      points: spots.map(({ x, y, day: at }) => ({
        key: at,
        x,
        y,
        r: 3.5,
        colour,
        words: [`${name}: ${y} USD/h from ${day(at)}`],
      })),
    },
  ];
}
