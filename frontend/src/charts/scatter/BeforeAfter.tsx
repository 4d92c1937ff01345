import { type Axis, axisOver, shareOf } from "@/charts/axes/axis";
import { placeLabels } from "@/charts/axes/labels";
import { type Frame, Plane } from "@/charts/axes/Plane";
import classes from "@/charts/axes/Plane.module.css";
import { timeTicks } from "@/charts/axes/ticks";
import { duration } from "@/lib/wording";

/** Finished job: measured time, and predicted times without and with the calibration [s]. */
export interface FittedRun {
  key: string;
  name: string;
  measured_s: number;
  before_s: number;
  after_s: number;
  range: { low: number; high: number };
  words: string;
}

const HEIGHT_PX = 440;
const TICK_PX = { x: 86, y: 40 };
const LETTER_PX = 6;

/**
 * Render predicted over measured times on logarithmic axes: open marks before the calibration, filled marks after,
 * connected by a line.
 */
export function BeforeAfter({ runs, label }: { runs: readonly FittedRun[]; label: string }) {
  const axis: Axis = axisOver(
    runs
      .flatMap(({ measured_s, before_s, after_s, range }) => [measured_s, before_s, after_s, range.low, range.high])
      .filter((seconds) => seconds > 0),
    true,
  );
  const share = (seconds: number) => shareOf(Math.min(axis.high, Math.max(axis.low, seconds)), axis);
  const ticks = (length: number, room: number, upwards: boolean) =>
    timeTicks(axis, Math.max(3, Math.floor(length / room))).map((seconds) => ({
      at: (upwards ? 1 - share(seconds) : share(seconds)) * length,
      text: duration(seconds),
    }));
  return (
    <Plane
      label={label}
      height={HEIGHT_PX}
      x={(frame) => ({ title: "measured (logarithmic)", ticks: ticks(frame.width, TICK_PX.x, false) })}
      y={(frame) => ({ title: "predicted (logarithmic)", ticks: ticks(frame.height, TICK_PX.y, true) })}
    >
      {(frame) => <Runs runs={runs} frame={frame} share={share} />}
    </Plane>
  );
}

interface RunsProps {
  runs: readonly FittedRun[];
  frame: Frame;
  share: (seconds: number) => number;
}

function Runs({ runs, frame, share }: RunsProps) {
  const x = (seconds: number) => frame.left + share(seconds) * frame.width;
  const y = (seconds: number) => frame.top + (1 - share(seconds)) * frame.height;
  const spots = runs.map((run) => ({
    x: x(run.measured_s) - frame.left,
    y: frame.top + frame.height - y(run.after_s),
  }));
  const shifts = placeLabels(
    runs.map(({ name }, index) => ({ text: name, x: spots[index]?.x ?? 0, y: spots[index]?.y ?? 0 })),
    {
      marks: spots.map((spot) => ({ left: spot.x - 6, right: spot.x + 6, bottom: spot.y - 6, top: spot.y + 6 })),
      lines: [],
    },
    frame,
  );
  return (
    <>
      <line
        className={classes.diagonal}
        x1={frame.left}
        y1={frame.top + frame.height}
        x2={frame.left + frame.width}
        y2={frame.top}
      />
      {runs.map(({ key, measured_s, before_s, after_s, range, words }) => (
        <g key={key}>
          <title>{words}</title>
          <line className={classes.moved} x1={x(measured_s)} x2={x(measured_s)} y1={y(before_s)} y2={y(after_s)} />
          <path
            className={classes.whisker}
            d={`M${x(measured_s)},${y(range.low)}V${y(range.high)}M${x(measured_s) - 4},${y(range.low)}h8M${x(measured_s) - 4},${y(range.high)}h8`}
          />
          <circle className={classes.otherMark} cx={x(measured_s)} cy={y(before_s)} r="4.5" />
          <circle className={classes.mark} cx={x(measured_s)} cy={y(after_s)} r="5" />
        </g>
      ))}
      {runs.map(({ key, name }, index) => {
        const [shift, spot] = [shifts[index], spots[index]];
        if (shift == null || spot === undefined) return null;
        const fits = spot.x + shift.dx + name.length * LETTER_PX < frame.width + 12;
        return (
          fits && (
            <text
              key={key}
              className={classes.name}
              x={frame.left + spot.x + shift.dx}
              y={frame.top + frame.height - (spot.y + shift.dy) - 3}
            >
              {name}
            </text>
          )
        );
      })}
    </>
  );
}

/** Render the mark for the legend. */
export function BeforeAfterMark({ after }: { after: boolean }) {
  return (
    <svg className={classes.legendMark} aria-hidden="true" width="14" height="14" viewBox="-7 -7 14 14">
      <circle className={after ? classes.mark : classes.otherMark} r={after ? 5 : 4.5} />
    </svg>
  );
}
