import { type CSSProperties, Fragment, memo } from "react";
import type { PhaseAnswer, RankedAnswer } from "@/api/generated";
import { RESOURCES, type ResourceKind, resourceKind, resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { ResourceMark } from "@/ui/values/ResourceMark";
import classes from "./TimeBar.module.css";

const KINDS = Object.keys(RESOURCES) as ResourceKind[];

/** Patterns of phases, a color and a lighter one, for readers who cannot tell the colors apart; the others are plain. */
const PATTERNS: Partial<Record<ResourceKind, (colour: string, light: string) => string>> = {
  "local disk": (colour, light) => `repeating-linear-gradient(135deg, ${colour} 0 4px, ${light} 4px 6px)`,
  "EBS link": (colour, light) => `repeating-linear-gradient(90deg, ${colour} 0 4px, ${light} 4px 6px)`,
  "EBS volumes": (colour, light) => `repeating-linear-gradient(45deg, ${colour} 0 4px, ${light} 4px 6px)`,
  "object store": (colour, light) => `repeating-radial-gradient(circle, ${light} 0 1.5px, ${colour} 2px 6px)`,
  CPU: (colour, light) => `repeating-linear-gradient(0deg, ${colour} 0 2px, ${light} 2px 4px)`,
  "data link": (colour, light) => `repeating-linear-gradient(110deg, ${colour} 0 2px, ${light} 2px 3px)`,
};
const FILLS = Object.fromEntries(KINDS.map((kind) => [kind, fillOf(kind)])) as Record<ResourceKind, string>;
const LINE = "linear-gradient(currentColor 0 0)";
const DASHES = "repeating-linear-gradient(currentColor 0 2px, transparent 2px 4px)";
/** Space between phases, and least width of one, as shares of the bar. */
const GAP = 0.005;

function fillOf(kind: ResourceKind): string {
  const { colour } = RESOURCES[kind];
  return PATTERNS[kind]?.(colour, lighter(colour)) ?? `linear-gradient(${colour} 0 0)`;
}

/** Mix a color `#rrggbb` with white. Left to the browser, each bar would mix it at each step of a drag. */
function lighter(colour: string): string {
  return colour.replace(/[0-9a-f]{2}/gi, (channel) =>
    Math.round(0.55 * Number.parseInt(channel, 16) + 0.45 * 255).toString(16),
  );
}

interface TimeBarProps {
  phases: RankedAnswer["phases"];
  time_s: RankedAnswer["time_s"];
  limit_s: number | null;
  /** Time that fills the whole width [s]. */
  full_s: number;
}

/**
 * Bar of the phases of a job, colored by bottleneck; the range is a whisker, the physical limit a dashed line. It is one
 * element with backgrounds: while a limit is dragged, each step draws all bars, and needs no layout for that.
 */
export const TimeBar = memo(function TimeBar({ phases, ...scale }: TimeBarProps) {
  return (
    <div
      className={classes.bar}
      aria-hidden="true"
      style={backgroundOf(layersOf(phases, scale))}
      // Written when the pointer comes: while a limit is dragged, each step would write all titles.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = phases.map(phaseWords).join("\n");
      }}
    />
  );
});

interface Layer {
  image: string;
  /** Position along the bar and size in CSS. */
  at: string;
  size: string;
}

/** Return the parts of a bar, those on top first. */
function layersOf(phases: TimeBarProps["phases"], { time_s, limit_s, full_s }: Omit<TimeBarProps, "phases">): Layer[] {
  const tick = (at_s: number, image: string, size: string) => ({ image, at: percent(at_s / full_s), size });
  const { p10, p90 } = time_s;
  const layers = [
    tick(p10, LINE, "1.5px 12px"),
    tick(p90, LINE, "1.5px 12px"),
    { image: LINE, ...stretch(p10 / full_s, (p90 - p10) / full_s, "1.5px") },
    ...(limit_s === null ? [] : [tick(limit_s, DASHES, "1px 14px")]),
  ];
  let since_s = 0;
  for (const { time_s: takes_s, bottleneck } of phases) {
    const width = Math.max(GAP, takes_s / full_s - GAP);
    layers.push({ image: FILLS[resourceKind(bottleneck)], ...stretch(since_s / full_s, width, "8px") });
    since_s += takes_s;
  }
  return layers;
}

/** Return a part from a share of the bar on; in CSS a share is one of the space that the part leaves. */
function stretch(from: number, width: number, height: string): Pick<Layer, "at" | "size"> {
  const left = width < 1 ? from / (1 - width) : 0;
  return { at: percent(left), size: `${percent(width)} ${height}` };
}

/** Return properties of their own: only those that change are parsed again. */
function backgroundOf(layers: readonly Layer[]): CSSProperties {
  return {
    backgroundImage: layers.map(({ image }) => image).join(),
    backgroundPositionX: layers.map(({ at }) => at).join(),
    backgroundSize: layers.map(({ size }) => size).join(),
  };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`;
}

function phaseWords({ name, time_s, bottleneck }: PhaseAnswer): string {
  return `${name}: ${duration(time_s)}, limited by ${resourceName(bottleneck)}`;
}

/** Legend of the colors in the bars of these rows, in one order for all. */
export function TimeBarLegend({ rows }: { rows: readonly Pick<RankedAnswer, "phases">[] }) {
  const present = new Set(rows.flatMap(({ phases }) => phases.map(({ bottleneck }) => resourceKind(bottleneck))));
  const kinds = KINDS.filter((kind) => present.has(kind));
  return (
    <span data-testid="bar-legend">
      {kinds.map((kind, place) => (
        <Fragment key={kind}>
          {place > 0 && ", "}
          <span style={{ whiteSpace: "nowrap" }}>
            <ResourceMark kind={kind} />
            {RESOURCES[kind].label}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
