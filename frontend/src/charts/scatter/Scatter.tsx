import { useElementSize } from "@mantine/hooks";
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useId, useMemo, useRef, useState } from "react";
import classes from "./Scatter.module.css";
import {
  type Band,
  dotsPath,
  nearest,
  type ScatterAxes,
  type ScatterFrame,
  type ScatterPoint,
  type Spot,
  scatterAxes,
  scatterLabels,
  scatterTicks,
  spotOf,
  tickWords,
} from "./scatterFigure";

const MARGIN = { left: 62, right: 16, top: 26, bottom: 46 };
const HEIGHT_PX = 460;
const NARROW = { width: 560, height: 380 };
const REACH_PX = 16;

interface ScatterProps {
  points: readonly ScatterPoint[];
  /** Axis titles with units. */
  xTitle: string;
  yTitle: string;
  log: boolean;
  bands?: readonly Band[];
  /** Label of the line of equal values; only for axes with the same unit. */
  diagonal?: string | undefined;
  label: string;
  /** Returns the lines of a point's tooltip. */
  facts: (key: string) => readonly string[];
  onPick: (key: string) => void;
}

/**
 * Render a large number of points over two figures, on logarithmic axes by default.
 *
 * All marks are drawn as two paths, so that a thousand cost no more than a dozen. For keyboard access the points are a
 * list that renders one option at a time: arrow keys, Home and End move from left to right, Enter and Space select.
 */
export function Scatter({ points, xTitle, yTitle, log, bands = [], diagonal, label, facts, onPick }: ScatterProps) {
  const id = useId();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [pointed, setPointed] = useState<string | null>(null);
  const [walked, setWalked] = useState<string | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const height = width < NARROW.width ? NARROW.height : HEIGHT_PX;
  const frame = useMemo<ScatterFrame>(
    () => ({
      left: MARGIN.left,
      top: MARGIN.top,
      width: Math.max(1, width - MARGIN.left - MARGIN.right),
      height: height - MARGIN.top - MARGIN.bottom,
    }),
    [width, height],
  );
  const axes = useMemo(() => scatterAxes(points, log), [points, log]);
  const spots = useMemo(() => points.map((point) => spotOf(point, axes, frame)), [points, axes, frame]);
  const order = useMemo(() => walkOrder(points), [points]);
  const said = pointed ?? walked;
  const saidIndex = said === null ? -1 : points.findIndex(({ key }) => key === said);
  const [told, toldSpot] = [points[saidIndex], spots[saidIndex]];
  const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    const found = nearest(points, spots, at, event.pointerType === "touch" ? 2 * REACH_PX : REACH_PX);
    setPointed(points[found]?.key ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = order.indexOf(walked ?? "");
    const next = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0 };
    const step = event.key === "End" ? order.length - 1 : (next as Record<string, number>)[event.key];
    if (step !== undefined) setWalked(order[Math.min(order.length - 1, Math.max(0, step))] ?? null);
    else if ((event.key === "Enter" || event.key === " ") && walked !== null) onPick(walked);
    else if (event.key === "Escape" && walked !== null) setWalked(null);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${height}px` } as CSSProperties}>
      {width > 0 && (
        <svg
          ref={svg}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a list of marks, drawn
          role="listbox"
          tabIndex={0}
          aria-label={label}
          aria-activedescendant={told === undefined ? undefined : `${id}-told`}
          className={classes.plot}
          data-pointed={pointed !== null || undefined}
          width={width}
          height={height}
          onKeyDown={onKeyDown}
          onFocus={() => setWalked((before) => before ?? order[0] ?? null)}
          onBlur={() => setWalked(null)}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setPointed(null)}
          onClick={() => pointed !== null && onPick(pointed)}
        >
          <Ground axes={axes} frame={frame} xTitle={xTitle} yTitle={yTitle} bands={bands} diagonal={diagonal} />
          <Marks points={points} spots={spots} frame={frame} />
          {toldSpot !== undefined && told !== undefined && (
            <g
              id={`${id}-told`}
              role="option"
              aria-selected="true"
              aria-posinset={order.indexOf(told.key) + 1}
              aria-setsize={order.length}
              aria-label={[told.key, ...facts(told.key)].join(". ")}
            >
              <circle className={classes.told} cx={toldSpot.x} cy={toldSpot.y} r="7" />
            </g>
          )}
        </svg>
      )}
      {told !== undefined && toldSpot !== undefined && (
        <Tip name={told.key} facts={facts(told.key)} at={toldSpot} width={width} others={others(spots, toldSpot)} />
      )}
    </div>
  );
}

/** Return the keyboard order: from left to right, without filtered points. */
function walkOrder(points: readonly ScatterPoint[]): string[] {
  return points
    .filter(({ faint }) => !faint)
    .toSorted((a, b) => a.x - b.x || a.y - b.y)
    .map(({ key }) => key);
}

/** Count the other points at the same position. */
function others(spots: readonly Spot[], at: Spot): number {
  return spots.filter(({ x, y }) => Math.abs(x - at.x) < 0.5 && Math.abs(y - at.y) < 0.5).length - 1;
}

interface OnPlot {
  frame: ScatterFrame;
}

interface MarksProps extends OnPlot {
  points: readonly ScatterPoint[];
  spots: readonly Spot[];
}

function Marks({ points, spots, frame }: MarksProps) {
  const drawn = useMemo(() => {
    const where = (wanted: (point: ScatterPoint) => boolean) =>
      spots.filter((_, index) => {
        const point = points[index];
        return point !== undefined && wanted(point);
      });
    return {
      faint: dotsPath(where(({ faint }) => faint)),
      kept: dotsPath(where(({ faint }) => !faint)),
      marked: where(({ marked }) => marked),
      labels: scatterLabels(points, spots, frame),
    };
  }, [points, spots, frame]);
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <g aria-hidden="true">
      <path className={classes.faint} d={drawn.faint} />
      <path className={classes.kept} d={drawn.kept} data-testid="kept-marks" />
      {drawn.marked.map(({ x, y }) => (
        <circle key={`${x} ${y}`} className={classes.marked} cx={x} cy={y} r="8" />
      ))}
      {drawn.labels.map(({ key, x, y }) => (
        <text key={key} className={classes.name} x={x} y={y}>
          {key}
        </text>
      ))}
    </g>
  );
}

interface GroundProps extends OnPlot {
  axes: ScatterAxes;
  xTitle: string;
  yTitle: string;
  bands: readonly Band[];
  diagonal: string | undefined;
}

function Ground({ axes, frame, xTitle, yTitle, bands, diagonal }: GroundProps) {
  const [right, bottom] = [frame.left + frame.width, frame.top + frame.height];
  const at = (x: number, y: number) => spotOf({ x, y }, axes, frame);
  const [low, high] = [Math.max(axes.x.low, axes.y.low), Math.min(axes.x.high, axes.y.high)];
  const [from, to] = [at(low, low), at(high, high)];
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <g aria-hidden="true">
      {bands.map((band) => (
        <BandShade key={band.label} band={band} axes={axes} frame={frame} />
      ))}
      {scatterTicks(axes.x, frame.width, "x").map((value) => (
        <g key={value}>
          <line className={classes.grid} x1={at(value, 0).x} x2={at(value, 0).x} y1={frame.top} y2={bottom} />
          <text className={classes.tick} x={at(value, 0).x} y={bottom + 16} textAnchor="middle">
            {tickWords(value)}
          </text>
        </g>
      ))}
      {scatterTicks(axes.y, frame.height, "y").map((value) => (
        <g key={value}>
          <line className={classes.grid} x1={frame.left} x2={right} y1={at(0, value).y} y2={at(0, value).y} />
          <text className={classes.tick} x={frame.left - 8} y={at(0, value).y + 4} textAnchor="end">
            {tickWords(value)}
          </text>
        </g>
      ))}
      {diagonal !== undefined && low < high && (
        <>
          <line className={classes.diagonal} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
          <text className={classes.tick} x={to.x - 6} y={Math.max(frame.top + 12, to.y + 12)} textAnchor="end">
            {diagonal}
          </text>
        </>
      )}
      <text x={frame.left + frame.width / 2} y={bottom + 38} textAnchor="middle">
        {xTitle}
      </text>
      <text textAnchor="middle" transform={`translate(14 ${frame.top + frame.height / 2}) rotate(-90)`}>
        {yTitle}
      </text>
    </g>
  );
}

function BandShade({ band, axes, frame }: { band: Band; axes: ScatterAxes; frame: ScatterFrame }) {
  const axis = axes[band.along];
  const [from, to] = [band.from ?? axis.low, band.to ?? axis.high];
  if (to <= axis.low || from >= axis.high) return null;
  const [start, end] = [spotOf({ x: from, y: from }, axes, frame), spotOf({ x: to, y: to }, axes, frame)];
  const box =
    band.along === "x"
      ? { x: start.x, y: frame.top, width: end.x - start.x, height: frame.height }
      : { x: frame.left, y: end.y, width: frame.width, height: start.y - end.y };
  const roomy = band.along === "y" ? box.height > 18 : box.width > band.label.length * 6.5;
  return (
    <>
      <rect className={classes.band} data-shade={band.shade} {...box} />
      {roomy && (
        <text
          className={classes.bandName}
          x={box.x + (band.along === "x" ? box.width / 2 : box.width - 6)}
          y={band.along === "x" ? frame.top - 8 : box.y + 14}
          textAnchor={band.along === "x" ? "middle" : "end"}
        >
          {band.label}
        </text>
      )}
    </>
  );
}

interface TipProps {
  name: string;
  facts: readonly string[];
  at: Spot;
  width: number;
  others: number;
}

function Tip({ name, facts, at, width, others: more }: TipProps) {
  const side = at.x > width / 2 ? { right: width - at.x + 14 } : { left: at.x + 14 };
  return (
    <div className={classes.tip} aria-hidden="true" data-testid="tip" style={{ ...side, top: Math.max(0, at.y - 24) }}>
      <strong>{name}</strong>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {more > 0 && <span className="dim">{more} more at this very place</span>}
    </div>
  );
}
