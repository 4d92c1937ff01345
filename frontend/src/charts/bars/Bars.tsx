import { useId } from "react";
import type { BarGroup, BarsFigure } from "@/charts/figure";
import { RESOURCES, type ResourceKind } from "@/lib/resources";
import classes from "./Bars.module.css";

interface BarsProps {
  figure: BarsFigure;
  /** Accessible description (default: each bar with its value, or each titled group). */
  label: string | undefined;
}

const TITLE_PX = 26;
const ROW_PX = 34;
const GROUP_GAP_PX = 10;
const BASELINE_PX = 14;
const BAR_TOP_PX = 20;
const BAR_PX = 9;

const percent = (share: number) => `${(100 * share).toFixed(3)}%`;

/** Render grouped horizontal bars at the full available width, with labels and figures above the bars. */
export function Bars({ figure: { groups, middle }, label = wordsOf(groups) }: BarsProps) {
  const id = useId().replace(/[^\w-]/g, "");
  const placed: { group: BarGroup; top: number }[] = [];
  let height = 0;
  for (const group of groups) {
    if (placed.length > 0) height += GROUP_GAP_PX;
    placed.push({ group, top: height });
    height += (group.title === undefined ? 0 : TITLE_PX) + group.bars.length * ROW_PX;
  }
  return (
    <svg className={classes.bars} width="100%" height={height} role="img" aria-label={label}>
      <Patterns id={id} />
      {placed.map(({ group, top }) => {
        const first = top + (group.title === undefined ? 0 : TITLE_PX);
        return (
          <g key={group.key}>
            {group.title !== undefined && (
              <>
                <text className={classes.title} x="0" y={top + BASELINE_PX}>
                  {group.title}
                </text>
                <text className={classes.title} x="100%" y={top + BASELINE_PX} textAnchor="end">
                  {group.text}
                </text>
              </>
            )}
            {group.bars.map((bar, index) => {
              const y = first + index * ROW_PX;
              const fill = bar.kind === undefined ? {} : { style: { fill: `url(#${id}-${slug(bar.kind)})` } };
              return (
                <g key={bar.key}>
                  <text x="0" y={y + BASELINE_PX}>
                    {bar.kind !== undefined && (
                      <tspan style={{ fill: RESOURCES[bar.kind].colour }}>{RESOURCES[bar.kind].glyph} </tspan>
                    )}
                    {bar.label}
                  </text>
                  <text x="100%" y={y + BASELINE_PX} textAnchor="end">
                    {bar.text}
                  </text>
                  <rect className={classes.track} x="0" width="100%" y={y + BAR_TOP_PX} height={BAR_PX} rx="2" />
                  <rect
                    className={classes.bar}
                    x={percent(bar.from)}
                    width={percent(Math.max(0, bar.to - bar.from))}
                    y={y + BAR_TOP_PX}
                    height={BAR_PX}
                    rx="2"
                    {...fill}
                  />
                </g>
              );
            })}
            {middle !== undefined && (
              <line
                className={classes.middle}
                x1={percent(middle)}
                x2={percent(middle)}
                y1={first + BAR_TOP_PX - 3}
                y2={first + (group.bars.length - 1) * ROW_PX + BAR_TOP_PX + BAR_PX + 3}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** Describe the groups by their titles and texts, bars without a title one by one. */
function wordsOf(groups: readonly BarGroup[]): string {
  const said = groups.flatMap(({ title, text, bars }) => (title === undefined ? bars : { label: title, text }));
  return said.map(({ label, text }) => `${label}: ${text}`).join(", ");
}

function slug(kind: ResourceKind): string {
  return kind.replaceAll(" ", "-");
}

/** Stripe direction of each resource [degrees]. */
const STRIPES: Partial<Record<ResourceKind, number>> = {
  "EBS link": 0,
  "local disk": 45,
  CPU: 90,
  "EBS volumes": 135,
  launch: 20,
  "data link": 110,
};
const WHITE = { fill: "#ffffff", fillOpacity: 0.5 };

/** Define a pattern per resource, in its color, so that bars can be told apart without color. */
function Patterns({ id }: { id: string }) {
  return (
    <defs>
      {(Object.keys(RESOURCES) as ResourceKind[]).map((kind) => (
        <pattern
          key={kind}
          id={`${id}-${slug(kind)}`}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform={STRIPES[kind] === undefined ? undefined : `rotate(${STRIPES[kind]})`}
        >
          <rect width="6" height="6" style={{ fill: RESOURCES[kind].colour }} />
          {STRIPES[kind] !== undefined && <rect width="2" height="6" style={WHITE} />}
          {kind === "object store" && <circle cx="3" cy="3" r="1.5" style={WHITE} />}
        </pattern>
      ))}
    </defs>
  );
}
