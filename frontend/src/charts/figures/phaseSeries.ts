import type { Mark, Panel, PlaneFigure } from "@/charts/figure";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { since } from "./axes";

/** Monitoring data of one resource over the duration of a job. */
export interface SeenSeries {
  key: string;
  name: string;
  kind: ResourceKind;
  times_s: readonly number[];
  values: readonly number[];
  /** Upper end of the vertical axis. */
  most: number;
  mostWords: string;
}

export interface PredictedPhase {
  name: string;
  from_s: number;
  to_s: number;
  /** Predicted bottleneck of the phase. */
  limit: ResourceKind;
}

const ROW_PX = 66;
const MOST_POINTS = 600;

/** Draw the monitoring data of a finished job over its predicted phases; shaded where a resource should be busiest. */
export function phasesFigure(series: readonly SeenSeries[], phases: readonly PredictedPhase[]): PlaneFigure {
  const ends = [...phases.map(({ to_s }) => to_s), ...series.map(({ times_s }) => times_s.at(-1) ?? 0)];
  return {
    kind: "plane",
    x: since(Math.max(1e-9, ...ends)),
    panels: series.map((one) => panelOf(one, phases)),
    phases: phases.map(({ name, from_s, to_s, limit }) => ({
      name,
      from: from_s,
      to: to_s,
      under: `${RESOURCES[limit].glyph} ${RESOURCES[limit].label}`,
    })),
  };
}

function panelOf(one: SeenSeries, phases: readonly PredictedPhase[]): Panel {
  const { colour, glyph } = RESOURCES[one.kind];
  const busy = phases.filter(({ limit }) => limit === one.kind);
  const step = Math.max(1, Math.ceil(one.times_s.length / MOST_POINTS));
  const points = one.times_s.flatMap((x, index) => {
    const value = one.values[index];
    return value === undefined || index % step !== 0 ? [] : [{ x, y: value }];
  });
  return {
    key: one.key,
    title: `${glyph} ${one.name}`,
    note: one.mostWords,
    height: ROW_PX,
    y: { of: "amount", low: 0, high: one.most > 0 ? one.most : 1, log: false, ticks: [] },
    marks: [
      ...busy.map(
        ({ name, from_s, to_s }): Mark => ({
          kind: "span",
          key: name,
          along: "x",
          from: from_s,
          to: to_s,
          colour,
          opacity: 0.1,
        }),
      ),
      { kind: "line", key: "values", points, colour, area: 0.22 },
    ],
  };
}
