import { Fragment, memo } from "react";
import type { PhaseAnswer, RankedAnswer } from "@/api/generated";
import { RESOURCES, type ResourceKind, resourceKind, resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { ResourceMark, resourceColour } from "@/ui/values/ResourceMark";
import classes from "./TimeBar.module.css";

const KINDS = Object.keys(RESOURCES) as ResourceKind[];
const COLOURS = Object.fromEntries(KINDS.map((kind) => [kind, resourceColour(kind)]));

interface TimeBarProps extends BarProps {
  /** Time that fills the whole width [s]. */
  full_s: number;
}

/**
 * Bar of the phases of a job, colored by bottleneck; the range is a whisker, the physical
 * limit a thin line.
 */
export function TimeBar({ full_s, ...bar }: TimeBarProps) {
  return (
    <div className={classes.bar} aria-hidden="true">
      <div style={{ width: `${(100 * bar.time_s.p90) / full_s}%` }}>
        <Bar {...bar} />
      </div>
    </div>
  );
}

interface BarProps {
  phases: RankedAnswer["phases"];
  time_s: RankedAnswer["time_s"];
  limit_s: number | null;
}

/** Content of a bar as shares of its own length: longer bars beside it do not change it. */
const Bar = memo(function Bar({ phases, time_s: { p10, p90 }, limit_s }: BarProps) {
  const shareOf = (time_s: number) => `${((100 * time_s) / p90).toFixed(2)}%`;
  const widths = phases.map(({ time_s }) => shareOf(time_s)).join(" ");
  return (
    <>
      <div
        className={classes.phases}
        style={{ gridTemplateColumns: widths }}
        // Written when the pointer comes: while a limit is dragged, each step would write all titles.
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = phases.map(phaseWords).join("\n");
        }}
      >
        {phases.map(({ name, bottleneck }) => {
          const kind = resourceKind(bottleneck);
          return <span key={name} className="resource" data-resource={kind} style={COLOURS[kind]} />;
        })}
      </div>
      {limit_s !== null && <span className={classes.physicalLimit} style={{ marginLeft: shareOf(limit_s) }} />}
      <span className={classes.whisker} style={{ marginLeft: shareOf(p10) }} />
    </>
  );
});

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
