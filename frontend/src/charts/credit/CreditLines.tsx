import { apart } from "@/charts/axes/labels";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import { percent } from "@/lib/wording";
import classes from "./CreditChart.module.css";

const SHARES = [0, 0.5, 1];
/** Dash patterns that keep overlapping lines visible. */
const DASHES = [undefined, "7 4", "2 3"];
const LINE_PX = 15;

interface Span {
  left: number;
  right: number;
}

interface GridLineProps extends Span {
  y: number;
  label: string;
}

/** Render a horizontal grid line with its label at the left. */
export function GridLine({ left, right, y, label }: GridLineProps) {
  return (
    <g>
      <line className={classes.grid} x1={left} x2={right} y1={y} y2={y} />
      <text className={classes.tick} x={left - 6} y={y + 4} textAnchor="end">
        {label}
      </text>
    </g>
  );
}

/** Render a tick of the time axis. */
export function TimeTick({ x, bottom, label }: { x: number; bottom: number; label: string }) {
  return (
    <g>
      <line className={classes.grid} x1={x} x2={x} y1={bottom} y2={bottom + 4} />
      <text className={classes.tick} x={x} y={bottom + 18} textAnchor="middle">
        {label}
      </text>
    </g>
  );
}

/** Burst credit with its positions in the plot. */
export interface PlacedCredit {
  key: string;
  label: string;
  kind: ResourceKind;
  points: readonly { key: string; x: number; share: number; words: string }[];
}

interface CreditLinesProps extends Span {
  credits: readonly PlacedCredit[];
  /** Converts a share of the full bucket to a y position [px]. */
  y: (share: number) => number;
}

/** Render burst credit as shares of the full bucket: linear between points, labeled at the line ends. */
export function CreditLines({ credits, left, right, y }: CreditLinesProps) {
  const ends = apart(
    credits.map(({ points }) => y(points.at(-1)?.share ?? 0)),
    LINE_PX,
    y(0),
  );
  return (
    <>
      {SHARES.map((share) => (
        <GridLine key={share} left={left} right={right} y={y(share)} label={percent(share)} />
      ))}
      {credits.map(({ key, kind, label, points }, index) => {
        const { colour, glyph } = RESOURCES[kind];
        return (
          <g key={key}>
            <polyline
              className={classes.line}
              points={points.map(({ x, share }) => `${x},${y(share)}`).join(" ")}
              style={{ stroke: colour, strokeDasharray: DASHES[index % DASHES.length] }}
            />
            {points.map(({ key: point, x, share, words }) => (
              <circle key={point} className={classes.target} cx={x} cy={y(share)} r={7}>
                <title>{words}</title>
              </circle>
            ))}
            <text x={right + 6} y={(ends[index] ?? 0) + 4}>
              <tspan style={{ fill: colour }}>{glyph} </tspan>
              {label}
            </text>
          </g>
        );
      })}
    </>
  );
}
