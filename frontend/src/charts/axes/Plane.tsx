import { useElementSize } from "@mantine/hooks";
import type { CSSProperties, ReactNode } from "react";
import classes from "./Plane.module.css";

/** Plot area between the axes [px]. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Tick {
  at: number;
  text: string;
}

/** Axis of a plane: ticks, at offsets from the frame's left or top [px], and title. */
export interface Side {
  title: string;
  ticks: readonly Tick[];
}

const MARGIN = { left: 90, right: 16, top: 14, bottom: 46 };

interface PlaneProps {
  label: string;
  height: number;
  /** Width reserved for line names at the right [px]. */
  names?: number;
  x: (frame: Frame) => Side;
  y: (frame: Frame) => Side;
  /** Renders the content of the frame. */
  children: (frame: Frame) => ReactNode;
}

/** Render a plot with two axes at the full available width. */
export function Plane({ label, height, names = MARGIN.right, x, y, children }: PlaneProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const frame: Frame = {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(1, width - MARGIN.left - names),
    height: height - MARGIN.top - MARGIN.bottom,
  };
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${height}px` } as CSSProperties}>
      {width > 0 && (
        <svg className={classes.plot} width={width} height={height} role="img" aria-label={label}>
          <Sides frame={frame} x={x(frame)} y={y(frame)} />
          {children(frame)}
        </svg>
      )}
    </div>
  );
}

function Sides({ frame, x, y }: { frame: Frame; x: Side; y: Side }) {
  const [right, bottom] = [frame.left + frame.width, frame.top + frame.height];
  return (
    <g>
      {y.ticks.map(({ at, text }) => (
        <g key={text}>
          <line className={classes.grid} x1={frame.left} x2={right} y1={frame.top + at} y2={frame.top + at} />
          <text className={classes.tick} x={frame.left - 8} y={frame.top + at + 4} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {x.ticks.map(({ at, text }) => (
        <g key={text}>
          <line className={classes.grid} x1={frame.left + at} x2={frame.left + at} y1={bottom} y2={bottom + 4} />
          <text className={classes.tick} x={frame.left + at} y={bottom + 18} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
      <line className={classes.grid} x1={frame.left} x2={right} y1={bottom} y2={bottom} />
      <text x={frame.left + frame.width / 2} y={bottom + 38} textAnchor="middle">
        {x.title}
      </text>
      <text textAnchor="middle" transform={`translate(12 ${frame.top + frame.height / 2}) rotate(-90)`}>
        {y.title}
      </text>
    </g>
  );
}
