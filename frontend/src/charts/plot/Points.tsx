import type { CSSProperties } from "react";
import type { Plane } from "@/charts/axes/plane";
import { type ChartPoint, MAIN, type PointsMark } from "@/charts/figure";
import { targetId } from "./Cursor";
import classes from "./Plot.module.css";
import { shapePath } from "./shapes";

const RADIUS_PX = 5;
const CAP_PX = 4;
const ARROW_PX = 15;
const RING_PX = 11;

interface PointsProps {
  mark: PointsMark;
  plane: Plane;
  list: boolean;
  inOrder: string | undefined;
  selected: string | undefined;
}

/** Render points with their ranges; those of a list as its options. */
export function Points({ mark, plane, list, inOrder, selected }: PointsProps) {
  if (mark.hidden) return null;
  const points = list ? mark.points.toSorted((a, b) => a.x - b.x || a.y - b.y) : mark.points;
  return points.map((point) => {
    const id = targetId(mark.key, point.key);
    const isOption = list && point.words !== undefined && point.listed !== false;
    const option = isOption && {
      role: "option",
      tabIndex: id === inOrder ? 0 : -1,
      "aria-selected": point.key === selected,
      "aria-label": point.words?.join(". "),
    };
    return (
      <g
        key={point.key}
        className={classes.point}
        data-target={point.words === undefined ? undefined : id}
        data-words={list ? undefined : point.words?.join("\n")}
        data-faint={point.faint || undefined}
        transform={`translate(${plane.x(point.x).toFixed(1)} ${plane.y(point.y).toFixed(1)})`}
        style={{ "--mark": point.colour ?? MAIN } as CSSProperties}
        aria-hidden={(list && !isOption) || undefined}
        {...option}
      >
        <Inside point={point} plane={plane} list={isOption} />
      </g>
    );
  });
}

type Ranged = Pick<ChartPoint, "x" | "y" | "across" | "up" | "bound">;

/** Draw the ranges of a point, around its position. */
export function Whiskers({ point: { x, y, across, up, bound }, plane }: { point: Ranged; plane: Plane }) {
  const ranges = [
    ...(across == null ? [] : [acrossPath(plane.x(across.low) - plane.x(x), plane.x(across.high) - plane.x(x))]),
    ...(up == null ? [] : [upPath(plane.y(up.low) - plane.y(y), plane.y(up.high) - plane.y(y))]),
    ...(bound == null ? [] : [arrowPath(bound === "above" ? -1 : 1)]),
  ];
  return ranges.length === 0 ? null : <path className={classes.whisker} d={ranges.join("")} />;
}

function Inside({ point, plane, list }: { point: ChartPoint; plane: Plane; list: boolean }) {
  return (
    <>
      {list && <circle className={classes.target} r={RING_PX + 1} />}
      <Whiskers point={point} plane={plane} />
      <PointShape point={point} />
      {list && <circle className={classes.ring} r={RING_PX} />}
    </>
  );
}

/** Render the shape of a point around the origin. */
function PointShape({ point }: { point: Pick<ChartPoint, "shape" | "r" | "fill" | "width"> }) {
  const { shape = "circle", r = RADIUS_PX, fill = "full", width } = point;
  if (r === 0) return null;
  return (
    <>
      <path
        className={classes.mark}
        data-fill={fill}
        data-shape={shape}
        style={width === undefined ? undefined : { strokeWidth: width }}
        d={shapePath(shape, r)}
      />
      {fill === "dotted" && <circle className={classes.dot} r="2" cy={shape === "triangle-up" ? 1 : 0} />}
    </>
  );
}

/** Render the shape of a point for a legend. */
export function PointIcon(point: Pick<ChartPoint, "shape" | "r" | "fill" | "colour">) {
  return (
    <svg
      aria-hidden="true"
      className={classes.icon}
      width="16"
      height="16"
      viewBox="-8 -8 16 16"
      style={{ "--mark": point.colour ?? MAIN } as CSSProperties}
    >
      <PointShape point={point} />
    </svg>
  );
}

function upPath(low: number, high: number): string {
  const cap = (y: number) => `M${-CAP_PX},${y.toFixed(1)}H${CAP_PX}`;
  return `M0,${low.toFixed(1)}V${high.toFixed(1)}${cap(low)}${cap(high)}`;
}

function acrossPath(low: number, high: number): string {
  const cap = (x: number) => `M${x.toFixed(1)},${-CAP_PX}V${CAP_PX}`;
  return `M${low.toFixed(1)},0H${high.toFixed(1)}${cap(low)}${cap(high)}`;
}

/** Build an arrow to the possible side of a bound: -1 up, 1 down. */
function arrowPath(direction: -1 | 1): string {
  const tip = direction * ARROW_PX;
  const back = tip - direction * 4;
  return `M0,0V${tip}M-3,${back}L0,${tip}L3,${back}`;
}
