import { useElementSize } from "@mantine/hooks";
import { type CSSProperties, type KeyboardEvent, useMemo, useRef, useState } from "react";
import classes from "./PredictedActual.module.css";
import {
  type Axes,
  bandCorners,
  type ComparedPoint,
  comparedAxes,
  comparedLabels,
  comparedTicks,
  type Frame,
  GROUP_PATHS,
  KIND_COLOURS,
  type MarkGroup,
  type MarkKind,
  perfectLine,
  place,
  placeOf,
  tickText,
  type Upwards,
} from "./predictedActualFigure";

const MARGIN = { left: 62, right: 16, top: 12, bottom: 46 };
const HEIGHT_PX = 460;
const NARROW = { width: 560, height: 360 };
const WHISKER_PX = 4;
const ARROW_PX = 15;

interface PredictedActualProps {
  points: readonly ComparedPoint[];
  upwards: Upwards;
  selected: string | undefined;
  label: string;
  onPick: (key: string) => void;
}

/**
 * Render predictions, or their ratio to the actual figures, over published figures on logarithmic axes.
 *
 * For keyboard access the marks are a list: one mark is in the tab order; arrow keys, Home and End move along the
 * diagonal; Enter and Space select. A hovered or focused mark shows its full precision.
 */
export function PredictedActual({ points, upwards, selected, label, onPick }: PredictedActualProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const list = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<string | undefined>(selected);
  const [said, setSaid] = useState<string | null>(null);
  const height = width < NARROW.width ? NARROW.height : HEIGHT_PX;
  const axes = useMemo(() => comparedAxes(points, upwards), [points, upwards]);
  const frame = useMemo<Frame>(
    () => ({
      left: MARGIN.left,
      top: MARGIN.top,
      width: Math.max(1, width - MARGIN.left - MARGIN.right),
      height: height - MARGIN.top - MARGIN.bottom,
    }),
    [width, height],
  );
  const ordered = useMemo(() => points.toSorted((a, b) => a.actual - b.actual || a.predicted - b.predicted), [points]);
  const labels = useMemo(() => comparedLabels(points, axes, frame, upwards), [points, axes, frame, upwards]);
  const inOrder = ordered.find(({ key }) => key === at) ?? ordered[0];
  const told = ordered.find(({ key }) => key === said);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event.key, inOrder === undefined ? -1 : ordered.indexOf(inOrder), ordered.length - 1);
    if (next !== undefined) {
      setAt(ordered[next]?.key);
      list.current?.querySelectorAll<SVGGElement>('[role="option"]')[next]?.focus();
    } else if ((event.key === "Enter" || event.key === " ") && inOrder !== undefined) onPick(inOrder.key);
    else if (event.key === "Escape") setSaid(null);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${height}px` } as CSSProperties}>
      {width > 0 && (
        <svg
          ref={list}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the same
          role="listbox"
          aria-label={label}
          className={classes.plot}
          width={width}
          height={height}
          onKeyDown={onKeyDown}
        >
          <Ground axes={axes} frame={frame} upwards={upwards} />
          {ordered.map((point) => (
            <Point
              key={point.key}
              point={point}
              axes={axes}
              frame={frame}
              upwards={upwards}
              selected={point.key === selected}
              inOrder={point === inOrder}
              onPick={() => {
                setAt(point.key);
                onPick(point.key);
              }}
              onSay={(now) => {
                if (now) setSaid(point.key);
                else setSaid((before) => (before === point.key ? null : before));
              }}
              onFocus={() => setAt(point.key)}
            />
          ))}
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus */}
          <g aria-hidden="true">
            {labels.map(({ key, text, x, y, leader }) => (
              <g key={key} className={classes.label}>
                {leader !== null && (
                  <line
                    className={classes.leader}
                    x1={leader[0].x}
                    y1={leader[0].y}
                    x2={leader[1].x}
                    y2={leader[1].y}
                  />
                )}
                <text x={x} y={y}>
                  {text}
                </text>
              </g>
            ))}
          </g>
        </svg>
      )}
      {told !== undefined && <Tip point={told} at={placeOf(frame, axes, told, upwards)} width={width} />}
    </div>
  );
}

/** Return the list index that a key moves to; undefined for other keys. */
function moved(key: string, index: number, last: number): number | undefined {
  const to: Record<string, number> = {
    ArrowRight: Math.min(last, index + 1),
    ArrowDown: Math.min(last, index + 1),
    ArrowLeft: Math.max(0, index - 1),
    ArrowUp: Math.max(0, index - 1),
    Home: 0,
    End: last,
  };
  return to[key];
}

interface OnAxes {
  axes: Axes;
  frame: Frame;
  upwards: Upwards;
}

/** Render the axes, the line of perfect predictions and its tolerance band. */
function Ground({ axes, frame, upwards }: OnAxes) {
  const [right, bottom] = [frame.left + frame.width, frame.top + frame.height];
  const [from, to] = perfectLine(frame, axes, upwards);
  const corners = bandCorners(frame, axes, upwards).map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`);
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <g aria-hidden="true">
      {comparedTicks(axes.actual, frame.width, "x").map((value) => {
        const { x } = place(frame, axes, value, axes.up.low);
        return (
          <g key={value}>
            <line className={classes.grid} x1={x} x2={x} y1={frame.top} y2={bottom} />
            <text className={classes.tick} x={x} y={bottom + 16} textAnchor="middle">
              {tickText(value)}
            </text>
          </g>
        );
      })}
      {comparedTicks(axes.up, frame.height, "y").map((value) => {
        const { y } = place(frame, axes, axes.actual.low, value);
        return (
          <g key={value}>
            <line className={classes.grid} x1={frame.left} x2={right} y1={y} y2={y} />
            <text className={classes.tick} x={frame.left - 8} y={y + 4} textAnchor="end">
              {tickText(value)}
            </text>
          </g>
        );
      })}
      <polygon className={classes.band} points={corners.join(" ")} />
      <line className={classes.diagonal} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      <text x={frame.left + frame.width / 2} y={bottom + 38} textAnchor="middle">
        actual (own unit)
      </text>
      <text textAnchor="middle" transform={`translate(14 ${frame.top + frame.height / 2}) rotate(-90)`}>
        {upwards === "ratio" ? "predicted ÷ actual" : "predicted (own unit)"}
      </text>
    </g>
  );
}

interface PointProps extends OnAxes {
  point: ComparedPoint;
  selected: boolean;
  /** True if the mark is in the tab order. */
  inOrder: boolean;
  onPick: () => void;
  /** Shows or hides the tooltip. */
  onSay: (now: boolean) => void;
  onFocus: () => void;
}

function Point({ point, axes, frame, upwards, selected, inOrder, onPick, onSay, onFocus }: PointProps) {
  const { x, y, range } = placeOf(frame, axes, point, upwards);
  const { kind, group } = point;
  return (
    <g
      role="option"
      className={classes.point}
      data-faint={point.faint || undefined}
      tabIndex={inOrder ? 0 : -1}
      aria-selected={selected}
      aria-label={[point.name, ...point.facts].join(". ")}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      style={colourOf(kind)}
      onClick={onPick}
      onMouseEnter={() => onSay(true)}
      onMouseLeave={() => onSay(false)}
      onFocus={() => {
        onFocus();
        onSay(true);
      }}
      onBlur={() => onSay(false)}
    >
      <circle className={classes.target} r="12" />
      {range !== null && <path className={classes.whisker} d={whisker(range.low - y, range.high - y)} />}
      {point.bound !== null && <path className={classes.arrow} d={arrow(point.bound === "above" ? -1 : 1)} />}
      <Mark kind={kind} group={group} />
      <circle className={classes.ring} r="11" />
    </g>
  );
}

function whisker(low: number, high: number): string {
  const cap = (y: number) => `M${-WHISKER_PX},${y.toFixed(1)}H${WHISKER_PX}`;
  return `M0,${low.toFixed(1)}V${high.toFixed(1)}${cap(low)}${cap(high)}`;
}

/** Return the path of an arrow to the possible side of a bound: -1 up, 1 down. */
function arrow(direction: -1 | 1): string {
  const tip = direction * ARROW_PX;
  const back = tip - direction * 4;
  return `M0,0V${tip}M-3,${back}L0,${tip}L3,${back}`;
}

function colourOf(kind: MarkKind): CSSProperties {
  return { "--mark": KIND_COLOURS[kind] } as CSSProperties;
}

function Mark({ kind, group }: { kind: MarkKind; group: MarkGroup }) {
  return (
    <>
      <path className={classes.mark} data-kind={kind} d={GROUP_PATHS[group]} />
      {kind === "fitted" && <circle className={classes.dot} r="2" cy={group === "arithmetic" ? 1 : 0} />}
    </>
  );
}

/** Render a mark for the legend. */
export function MarkIcon({ kind, group }: { kind: MarkKind; group: MarkGroup }) {
  return (
    <svg
      aria-hidden="true"
      className={classes.icon}
      width="16"
      height="16"
      viewBox="-8 -8 16 16"
      style={colourOf(kind)}
    >
      <Mark kind={kind} group={group} />
    </svg>
  );
}

/** Render a mark's tooltip with full precision; the mark's label contains the same for screen readers. */
function Tip({ point, at, width }: { point: ComparedPoint; at: { x: number; y: number }; width: number }) {
  const side = at.x > width / 2 ? { right: width - at.x + 14 } : { left: at.x + 14 };
  return (
    <div className={classes.tip} aria-hidden="true" data-testid="tip" style={{ ...side, top: Math.max(0, at.y - 24) }}>
      <strong>{point.name}</strong>
      {point.facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </div>
  );
}
