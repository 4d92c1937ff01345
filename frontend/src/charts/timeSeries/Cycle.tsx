import { shareOf } from "@/charts/axes/axis";
import { type Frame, Plane } from "@/charts/axes/Plane";
import classes from "@/charts/axes/Plane.module.css";
import { costTicks } from "@/charts/axes/ticks";
import { zoomedAxis } from "./ValuesOverTime";

interface CycleProps {
  /** Value for each hour or day; null if not measured. */
  values: readonly (number | null)[];
  names: readonly string[];
  words: (value: number) => string;
  title: string;
  label: string;
}

const HEIGHT_PX = 200;
const TICK_PX = { x: 34, y: 44 };

/** Render means by hour of the day or day of the week. Drawn as dots, because the axis need not start at 0. */
export function Cycle({ values, names, words, title, label }: CycleProps) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const axis = zoomedAxis(known);
  const along = (index: number, frame: Frame) => ((index + 0.5) / values.length) * frame.width;
  const down = (value: number, frame: Frame) => (1 - shareOf(value, axis)) * frame.height;
  return (
    <Plane
      label={label}
      height={HEIGHT_PX}
      x={(frame) => {
        const step = Math.ceil((names.length * TICK_PX.x) / frame.width);
        return {
          title,
          ticks: names.flatMap((text, index) => (index % step === 0 ? [{ at: along(index, frame), text }] : [])),
        };
      }}
      y={(frame) => ({
        title: "mean",
        ticks: costTicks(axis, Math.floor(frame.height / TICK_PX.y)).map((value) => ({
          at: down(value, frame),
          text: words(value),
        })),
      })}
    >
      {(frame) =>
        values.map(
          (value, index) =>
            value !== null && (
              <circle
                key={names[index]}
                className={classes.mark}
                cx={frame.left + along(index, frame)}
                cy={frame.top + down(value, frame)}
                r="5"
              >
                <title>{`${names[index]}: ${words(value)}`}</title>
              </circle>
            ),
        )
      }
    </Plane>
  );
}
