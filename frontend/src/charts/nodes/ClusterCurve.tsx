import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { type Frame, Plane, type Tick } from "@/charts/axes/Plane";
import classes from "@/charts/axes/Plane.module.css";
import { costTicks } from "@/charts/axes/ticks";
import { count } from "@/lib/wording";

export interface SizedRate {
  nodes: number;
  value: number;
  /** Confidence range, if known. */
  range: { low: number; high: number } | null;
  measured: boolean;
  words: string;
}

interface ClusterCurveProps {
  rates: readonly SizedRate[];
  words: (value: number) => string;
  title: string;
  label: string;
}

const HEIGHT_PX = 280;
const TICK_PX = { x: 34, y: 44 };
const WHISKER_PX = 4;

/** Render a rate over cluster size: own measurements filled and connected, published ones open. */
export function ClusterCurve({ rates, words, title, label }: ClusterCurveProps) {
  const sizes = rates.map(({ nodes }) => nodes);
  const across: Axis = axisOver([Math.max(1, Math.min(...sizes) / 1.2), Math.max(...sizes) * 1.2], true);
  const up: Axis = axisOver(
    rates.flatMap(({ value, range }) => [value, range?.high ?? value]),
    false,
  );
  const along = (nodes: number, frame: Frame) => shareOf(nodes, across) * frame.width;
  const down = (value: number, frame: Frame) => (1 - shareOf(value, up)) * frame.height;
  const own = rates.filter(({ measured }) => measured).toSorted((a, b) => a.nodes - b.nodes);
  const others = rates.filter(({ measured }) => !measured).toSorted((a, b) => a.nodes - b.nodes);
  return (
    <Plane
      label={label}
      height={HEIGHT_PX}
      x={(frame) => ({
        title: "nodes in the cluster (logarithmic)",
        // Existing sizes only, thinned to avoid overlap.
        ticks: spaced(
          [...new Set(sizes)]
            .toSorted((a, b) => a - b)
            .map((nodes) => ({ at: along(nodes, frame), text: count(nodes) })),
        ),
      })}
      y={(frame) => ({
        title,
        ticks: costTicks(up, Math.floor(frame.height / TICK_PX.y)).map((value) => ({
          at: down(value, frame),
          text: words(value),
        })),
      })}
    >
      {(frame) => {
        const spot = ({ nodes, value }: Pick<SizedRate, "nodes" | "value">) =>
          `${(frame.left + along(nodes, frame)).toFixed(1)},${(frame.top + down(value, frame)).toFixed(1)}`;
        return (
          <>
            <polyline className={classes.other} points={others.map(spot).join(" ")} />
            <polyline className={classes.mean} points={own.map(spot).join(" ")} />
            {[...others, ...own].map((rate) => (
              <g
                key={`${rate.nodes} ${rate.measured} ${rate.words}`}
                transform={`translate(${spot(rate).replace(",", " ")})`}
              >
                <title>{rate.words}</title>
                {rate.range !== null && (
                  <path
                    className={classes.whisker}
                    d={whisker(
                      down(rate.range.low, frame) - down(rate.value, frame),
                      down(rate.range.high, frame) - down(rate.value, frame),
                    )}
                  />
                )}
                <circle className={rate.measured ? classes.mark : classes.otherMark} r={rate.measured ? 5 : 4.5} />
              </g>
            ))}
          </>
        );
      }}
    </Plane>
  );
}

function spaced(ticks: readonly Tick[]): Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks) if (tick.at - (kept.at(-1)?.at ?? -TICK_PX.x) >= TICK_PX.x) kept.push(tick);
  return kept;
}

function whisker(low: number, high: number): string {
  const cap = (y: number) => `M${-WHISKER_PX},${y.toFixed(1)}H${WHISKER_PX}`;
  return `M0,${low.toFixed(1)}V${high.toFixed(1)}${cap(low)}${cap(high)}`;
}
