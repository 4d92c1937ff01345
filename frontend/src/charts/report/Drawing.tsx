import { type SVGAttributes, useId } from "react";
import type { Circle, Drawing as DrawingData, Label, Path, Rect } from "@/api/generated";
import { shown } from "@/lib/plainText";
import classes from "./Drawing.module.css";
import { STYLES } from "./styles";

type Mark = Rect | Path | Circle | Label;
type Shape = Exclude<Mark, Label>;
type Pattern = NonNullable<Shape["pattern"]>;

/** Patterns over filled shapes; identical to those in a report's files. */
const PATTERNS: Record<Pattern, string> = {
  stripes: "M-1 5L5 -1M3 9L9 3",
  bars: "M2 0L2 8M6 0L6 8",
  rows: "M0 2L8 2M0 6L8 6",
  dots: "M2 2L2.01 2M6 6L6.01 6",
  crosses: "M0 0L8 8M8 0L0 8",
  slants: "M-1 3L5 9M3 -1L9 5",
  steps: "M0 4L4 4L4 0M4 8L8 8L8 4",
  waves: "M0 2L2 4L4 2L6 4L8 2M0 6L2 8L4 6L6 8L8 6",
  squares: "M0 2L8 2M2 0L2 8",
};

interface DrawingProps {
  drawing: DrawingData;
  /** Accessible description of the drawing. */
  label: string;
  className?: string | undefined;
  /** True if another drawing of the same chart is read aloud. */
  hidden?: boolean;
}

/** Render a drawing of the service with its positions and texts unchanged, in the page's colors. */
export function Drawing({ drawing, label, className, hidden = false }: DrawingProps) {
  const id = useId().replace(/[^\w-]/g, "");
  const used = [...new Set(drawing.marks.flatMap((mark) => (mark.kind === "label" ? [] : (mark.pattern ?? []))))];
  return (
    <svg
      role="img"
      aria-label={shown(label)}
      aria-hidden={hidden || undefined}
      className={`${classes.drawing} ${className ?? ""}`}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
    >
      <defs>
        {used.map((name) => (
          <pattern key={name} id={`${id}-${name}`} width="8" height="8" patternUnits="userSpaceOnUse">
            <path d={PATTERNS[name]} className={classes.pattern} />
          </pattern>
        ))}
      </defs>
      {drawing.marks.map((mark, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a drawing never changes, and its marks have no other name
        <MarkShape key={place} mark={mark} id={id} />
      ))}
    </svg>
  );
}

function MarkShape({ mark, id }: { mark: Mark; id: string }) {
  if (mark.kind === "label") return <Words label={mark} />;
  return (
    <>
      <Outline mark={mark} className={classes[mark.form]} style={STYLES[mark.style]} title={mark.title} />
      {mark.pattern !== null && (
        <Outline mark={mark} className={classes.over} fill={`url(#${id}-${mark.pattern})`} title={null} />
      )}
    </>
  );
}

interface OutlineProps extends Pick<SVGAttributes<SVGElement>, "className" | "style" | "fill"> {
  mark: Shape;
  title: string | null;
}

function Outline({ mark, title, ...look }: OutlineProps) {
  const said = title === null ? null : <title>{shown(title)}</title>;
  switch (mark.kind) {
    case "rect":
      return (
        <rect x={mark.x} y={mark.y} width={mark.width} height={mark.height} {...look}>
          {said}
        </rect>
      );
    case "circle":
      return (
        <circle cx={mark.cx} cy={mark.cy} r={mark.r} {...look}>
          {said}
        </circle>
      );
    case "path":
      return (
        <path d={mark.d} {...look}>
          {said}
        </path>
      );
  }
}

function Words({ label }: { label: Label }) {
  const { x, y, size, anchor, rotate } = label;
  return (
    <text
      x={x}
      y={y}
      fontSize={size}
      textAnchor={anchor}
      className={`${classes.words} ${classes[label.style] ?? ""}`}
      style={STYLES[label.style]}
      {...(rotate === 0 ? {} : { transform: `rotate(${rotate} ${x} ${y})` })}
    >
      {shown(label.text)}
    </text>
  );
}
