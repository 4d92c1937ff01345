import type { CSSProperties } from "react";
import { placeOf } from "@/charts/axes/axis";
import { type Dragged, useDrag } from "@/charts/drag/useDrag";
import classes from "./LimitLine.module.css";

export interface LimitLineProps extends Omit<Dragged, "ends" | "reach_px"> {
  name: "deadline" | "budget";
  /** Formatted value: `22 min`, `$430`. */
  words: (value: number) => string;
}

/** Render a limit as a line in a plot, with its label as the drag handle if it is editable. */
export function LimitLine(props: LimitLineProps) {
  const { name, along, words, axis } = props;
  const { shown, handlers, held } = useDrag(props);
  const movable = props.onChange !== undefined;
  if (shown === null && !movable) return null;
  const { text, pill, line } = drawn(props, shown);
  const look = { "data-along": along, "data-set": shown !== null || undefined, "data-held": held || undefined };
  const slider = movable && {
    role: "slider",
    tabIndex: 0,
    "aria-label": name === "deadline" ? "Deadline" : "Budget",
    "aria-orientation": along === "x" ? ("horizontal" as const) : ("vertical" as const),
    "aria-valuemin": axis.low,
    "aria-valuemax": axis.high,
    "aria-valuenow": Math.min(axis.high, Math.max(axis.low, shown ?? axis.high)),
    "aria-valuetext": shown === null ? `no ${name}` : words(shown),
    ...handlers,
  };
  return (
    <>
      <div className={classes.line} style={line} {...look} data-testid={`${name}-line`} />
      <div className={classes.pill} style={pill} {...look} {...slider}>
        {movable && <Grip />}
        {text}
      </div>
    </>
  );
}

interface Drawn {
  text: string;
  /** Position of the label. */
  pill: CSSProperties;
  line: CSSProperties;
}

function drawn({ name, along, words, axis, frame }: LimitLineProps, shown: number | null): Drawn {
  const share = placeOf(shown, axis);
  const beyond = shown !== null && (shown > axis.high || shown < axis.low);
  const text = shown === null ? `drag to set a ${name}` : `${name} ${words(shown)}${beyond ? ", off the axis" : ""}`;
  // Shift the label inwards in proportion to the line's position, so that it stays inside the plot.
  if (along === "x") {
    const left = frame.left + share * frame.width;
    const pill = { left, transform: `translateX(${-100 * share}%)` };
    return { text, pill, line: { left, top: frame.top, height: frame.height } };
  }
  const top = frame.top + (1 - share) * frame.height;
  const pill = { top, left: frame.left + frame.width, transform: `translate(-100%, ${-100 * (1 - share)}%)` };
  return { text, pill, line: { top, left: frame.left, width: frame.width } };
}

function Grip() {
  return (
    <svg aria-hidden="true" className={classes.grip} width="8" height="12" viewBox="0 0 8 12">
      <path d="M2 1v10M6 1v10" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
