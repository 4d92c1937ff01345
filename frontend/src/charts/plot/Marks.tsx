import { type CSSProperties, memo, type ReactNode } from "react";
import { LETTER_PX } from "@/charts/axes/chartAxis";
import { apart } from "@/charts/axes/labels";
import type { Plane } from "@/charts/axes/plane";
import {
  type BandMark,
  type DotsMark,
  INK,
  type LabelsMark,
  type LineMark,
  MAIN,
  type Mark,
  type RuleMark,
  type SpanMark,
} from "@/charts/figure";
import { namedMarks, type PlacedPanel } from "./layout";
import classes from "./Plot.module.css";
import { Points } from "./Points";
import { bandPath, linePath, runs } from "./paths";

const NAME_LINE_PX = 15;

/** Set the color of a group of shapes. */
function coloured(colour: string = MAIN): CSSProperties {
  return { "--mark": colour } as CSSProperties;
}

interface PanelMarksProps {
  placed: PlacedPanel;
  /** True if the points are options of a list. */
  list: boolean;
  /** Width of the names at the right [px]. */
  names: number;
  /** Id of the point in the tab order. */
  inOrder: string | undefined;
  selected: string | undefined;
}

/** Render the marks of a panel, in order from back to front, with the names at their right ends. */
export const PanelMarks = memo(function PanelMarks({ placed, list, names, inOrder, selected }: PanelMarksProps) {
  const { panel, plane } = placed;
  return (
    <>
      {panel.marks.map((mark) =>
        mark.kind === "points" ? (
          <Points key={mark.key} mark={mark} plane={plane} list={list} inOrder={inOrder} selected={selected} />
        ) : (
          <g key={mark.key} aria-hidden={list || undefined}>
            <Shape mark={mark} plane={plane} />
          </g>
        ),
      )}
      <g aria-hidden={list || undefined}>
        <Names placed={placed} width={names} />
      </g>
    </>
  );
});

const SHAPES = { line: Line, band: Band, span: Span, rule: Rule, dots: Dots, labels: Labels };

function Shape({ mark, plane }: Drawn<Exclude<Mark, { kind: "points" }>>) {
  // Each kind of mark has the component that takes it.
  const Of = SHAPES[mark.kind] as (props: Drawn<typeof mark>) => ReactNode;
  return <Of mark={mark} plane={plane} />;
}

interface Drawn<Of> {
  mark: Of;
  plane: Plane;
}

function Line({ mark, plane }: Drawn<LineMark>) {
  const { points, colour, width = 1.75, dash, opacity, area, dotted, words } = mark;
  const parts = runs(points, ({ y }) => y !== null);
  const last = points.findLast(({ y }) => y !== null);
  return (
    <g style={coloured(colour)} data-words={words}>
      {area !== undefined &&
        parts.map((part) => (
          <path
            key={part[0]?.x}
            className={classes.area}
            fillOpacity={area}
            d={bandPath(
              part.map(({ x, y }) => ({ x, low: plane.axes.y.low, high: y ?? 0 })),
              plane,
              mark.steps === true ? mark.until : undefined,
            )}
          />
        ))}
      {parts.map((part, index) =>
        part.length === 1 && mark.until === undefined && !mark.steps ? (
          <circle
            key={part[0]?.x}
            className={classes.dot}
            cx={plane.x(part[0]?.x ?? 0)}
            cy={plane.y(part[0]?.y ?? 0)}
            r="2"
          />
        ) : (
          <path
            key={part[0]?.x}
            className={classes.line}
            strokeWidth={width}
            strokeDasharray={dash}
            strokeOpacity={opacity}
            d={linePath(part, plane, mark, parts[index + 1] === undefined)}
          />
        ),
      )}
      {dotted && last !== undefined && (
        <circle className={classes.dot} cx={plane.x(last.x)} cy={plane.y(last.y ?? 0)} r="3" />
      )}
    </g>
  );
}

function Band({ mark: { points, colour, opacity, words }, plane }: Drawn<BandMark>) {
  return (
    <g style={coloured(colour)} data-words={words}>
      {runs(points, ({ low, high }) => low !== null && high !== null).map((part) => (
        <path
          key={part[0]?.x}
          className={classes.area}
          fillOpacity={opacity}
          d={bandPath(
            part.map(({ x, low, high }) => ({ x, low: low ?? 0, high: high ?? 0 })),
            plane,
          )}
        />
      ))}
    </g>
  );
}

function Span({ mark: { along, from, to, colour, opacity, name }, plane }: Drawn<SpanMark>) {
  const { frame, axes } = plane;
  const axis = axes[along];
  const [low, high] = [from ?? axis.low, to ?? axis.high];
  if (high <= axis.low || low >= axis.high) return null;
  const box =
    along === "x"
      ? { x: plane.x(low), width: plane.x(high) - plane.x(low), y: frame.top, height: frame.height }
      : { x: frame.left, width: frame.width, y: plane.y(high), height: plane.y(low) - plane.y(high) };
  const roomy = along === "y" ? box.height > 18 : box.width > (name?.length ?? 0) * LETTER_PX;
  return (
    <>
      <rect className={classes.area} style={coloured(colour)} fillOpacity={opacity} {...box} />
      {name !== undefined && roomy && (
        <text
          className={classes.tick}
          x={along === "x" ? box.x + box.width / 2 : box.x + box.width - 6}
          y={along === "x" ? frame.top - 8 : box.y + 14}
          textAnchor={along === "x" ? "middle" : "end"}
        >
          {name}
        </text>
      )}
    </>
  );
}

function Rule({ mark, plane }: Drawn<RuleMark>) {
  const { along, at, colour = INK, width = 2, dash, name, words, saved } = mark;
  const { frame } = plane;
  const right = frame.left + frame.width;
  const [x, y] = [plane.x(at), plane.y(at)];
  const ends =
    along === "x"
      ? { x1: x, x2: x, y1: frame.top, y2: frame.top + frame.height }
      : { x1: frame.left, x2: right, y1: y, y2: y };
  const far = x > frame.left + 0.7 * frame.width;
  return (
    <g style={coloured(colour)} className={saved ? classes.saved : undefined} data-words={words}>
      <line className={classes.rule} strokeWidth={width} strokeDasharray={dash} {...ends} />
      {along === "x" && name !== undefined && (
        <text
          className={classes.name}
          x={x + (far ? -4 : 4)}
          y={frame.top + (saved ? -6 : 10)}
          textAnchor={far ? "end" : "start"}
        >
          {name.join(" ")}
        </text>
      )}
      {along === "y" && saved && name !== undefined && (
        <text className={classes.name} x={right} y={y - 4} textAnchor="end">
          {name.join(" ")}
        </text>
      )}
    </g>
  );
}

function Dots({ mark: { spots, r, opacity, key }, plane }: Drawn<DotsMark>) {
  // Each mark is a line of zero length with round caps.
  const path = spots.map(({ x, y }) => `M${plane.x(x).toFixed(1)},${plane.y(y).toFixed(1)}h0`).join("");
  return (
    <path
      className={classes.dots}
      style={coloured()}
      strokeWidth={2 * r}
      strokeOpacity={opacity}
      d={path}
      data-testid={`${key}-marks`}
    />
  );
}

function Labels({ mark, plane }: Drawn<LabelsMark>) {
  return mark.place(plane).map(({ key, text, x, y, leader, boxed = false, colour }) => (
    <g key={key} data-testid={boxed ? "badge" : "label"}>
      {leader != null && (
        <line className={classes.leader} x1={leader[0].x} y1={leader[0].y} x2={leader[1].x} y2={leader[1].y} />
      )}
      {boxed && <rect className={classes.box} x={x - 4} y={y - 12} width={text.length * LETTER_PX + 8} height="16" />}
      <text
        className={boxed ? classes.strong : classes.name}
        style={colour === undefined ? undefined : { fill: colour }}
        x={x}
        y={y}
      >
        {text}
      </text>
    </g>
  ));
}

function Names({ placed: { panel, plane }, width }: { placed: PlacedPanel; width: number }) {
  const named = namedMarks(panel);
  if (named.length === 0) return null;
  const { frame } = plane;
  const spots = named.map((mark) => endOf(mark, plane));
  // Lines end at about the same time, so the names are aligned with the end of the longest.
  const x = Math.max(...spots.map((spot) => spot.x)) + 8;
  const lines = Math.max(...named.map(({ name }) => name.length));
  const ends = apart(
    spots.map((spot) => spot.y),
    lines * NAME_LINE_PX,
    frame.top + frame.height,
  );
  return named.map((mark, index) => {
    const glyph = mark.kind === "line" ? mark.glyph : undefined;
    const y = (ends[index] ?? 0) + 4 - ((lines - 1) * NAME_LINE_PX) / 4;
    return (
      <text key={mark.key} className={classes.name} x={x} y={y} data-words={mark.words}>
        {glyph !== undefined && <tspan style={{ fill: mark.colour ?? MAIN }}>{glyph} </tspan>}
        {mark.name.map((line, place) => (
          <tspan key={line} {...(place > 0 && { x, dy: NAME_LINE_PX - 1 })}>
            {shortened(line, width)}
          </tspan>
        ))}
      </text>
    );
  });
}

function endOf(mark: LineMark | RuleMark, plane: Plane): { x: number; y: number } {
  const right = plane.frame.left + plane.frame.width;
  if (mark.kind === "rule") return { x: right, y: plane.y(mark.at) };
  const last = mark.points.findLast(({ y }) => y !== null);
  return { x: mark.until === undefined ? plane.x(last?.x ?? 0) : plane.x(mark.until), y: plane.y(last?.y ?? 0) };
}

/** Truncate a name that does not fit beside the plot. */
function shortened(text: string, width: number): string {
  const room = Math.max(4, Math.floor(width / LETTER_PX));
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}
