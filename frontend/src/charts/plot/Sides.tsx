import { type ChartAxis, widthOf } from "@/charts/axes/chartAxis";
import type { Phase } from "@/charts/figure";
import type { Layout, PlacedPanel } from "./layout";
import classes from "./Plot.module.css";

interface SidesProps {
  x: ChartAxis;
  layout: Layout;
}

/** Render the axes of all panels. */
export function Sides({ x, layout: { panels, ticks } }: SidesProps) {
  const last = panels.at(-1);
  if (last === undefined) return null;
  const { frame } = last.plane;
  const bottom = frame.top + frame.height;
  const right = frame.left + frame.width;
  return (
    <>
      {panels.map((placed) => (
        <Upwards key={placed.panel.key} placed={placed} />
      ))}
      {ticks.map(({ value, text }) => {
        const at = last.plane.x(value);
        return (
          <g key={value}>
            <line
              className={classes.grid}
              x1={at}
              x2={at}
              y1={x.grid ? (panels[0]?.plane.frame.top ?? bottom) : bottom}
              y2={bottom + 4}
            />
            <text
              className={classes.tick}
              x={at}
              y={bottom + 18}
              textAnchor={anchorOf(at, text, right)}
              data-testid="x-tick"
            >
              {text}
            </text>
          </g>
        );
      })}
      {x.title !== undefined && (
        <text x={frame.left + frame.width / 2} y={bottom + 38} textAnchor="middle">
          {x.title}
        </text>
      )}
    </>
  );
}

/** Return the anchor that keeps a tick's text inside the picture. */
function anchorOf(at: number, text: string, right: number): "start" | "middle" | "end" {
  const half = widthOf(text) / 2;
  if (at < half) return "start";
  return at + half > right + 16 ? "end" : "middle";
}

function Upwards({ placed: { panel, plane, ticks } }: { placed: PlacedPanel }) {
  const { left, top, width, height } = plane.frame;
  const right = left + width;
  return (
    <g>
      {ticks.map(({ value, text }) => (
        <g key={value}>
          <line className={classes.grid} x1={left} x2={right} y1={plane.y(value)} y2={plane.y(value)} />
          <text className={classes.tick} x={left - 8} y={plane.y(value) + 4} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      <line className={classes.grid} x1={left} x2={right} y1={top + height} y2={top + height} />
      {panel.y.title !== undefined && (
        <text textAnchor="middle" transform={`translate(12 ${top + height / 2}) rotate(-90)`}>
          {panel.y.title}
        </text>
      )}
      {panel.title !== undefined && (
        <text className={classes.strong} x={ticks.length === 0 ? left + 4 : 0} y={top - 8}>
          {panel.title}
        </text>
      )}
      {panel.note !== undefined && (
        <text className={classes.tick} x={right - 4} y={top - 8} textAnchor="end">
          {panel.note}
        </text>
      )}
    </g>
  );
}

interface PhasesProps {
  phases: readonly Phase[];
  layout: Layout;
}

/** Render the borders of sections of the horizontal axis, with the names that fit. */
export function Phases({ phases, layout: { panels } }: PhasesProps) {
  const last = panels.at(-1);
  if (last === undefined) return null;
  const { x, frame } = last.plane;
  const bottom = frame.top + frame.height;
  return phases.map(({ name, from, to, under }) => {
    const width = x(to) - x(from);
    return (
      <g key={name}>
        <line className={classes.phase} x1={x(to)} x2={x(to)} y1={4} y2={bottom} />
        {width > widthOf(name) + 8 && (
          <text className={classes.strong} x={x(from) + 4} y={14}>
            {name}
          </text>
        )}
        {under !== undefined && width > widthOf(under) + 8 && (
          <text className={classes.tick} x={x(from) + 4} y={29}>
            {under}
          </text>
        )}
      </g>
    );
  });
}
