import { Fragment } from "react";
import type { RankedAnswer } from "@/api/generated";
import { RESOURCES, resourceKind, resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { ResourceMark, resourceColour } from "@/ui/values/ResourceMark";
import classes from "./TimeBar.module.css";

interface TimeBarProps {
  row: Pick<RankedAnswer, "phases" | "time_s"> & Partial<Pick<RankedAnswer, "physical_limit_s">>;
  /** Time that fills the whole width [s]. */
  full_s: number;
}

/**
 * Bar of the phases of a job, colored by bottleneck; the range is a whisker, the physical
 * limit a thin line.
 */
export function TimeBar({ row, full_s }: TimeBarProps) {
  const percent = (seconds: number) => `${(100 * seconds) / full_s}%`;
  const { p10, p90 } = row.time_s;
  const limit_s = row.physical_limit_s ?? null;
  return (
    <div className={classes.bar} aria-hidden="true">
      <div className={classes.phases}>
        {row.phases.map((phase) => {
          const kind = resourceKind(phase.bottleneck);
          return (
            <span
              key={phase.name}
              className="resource"
              data-resource={kind}
              style={{ ...resourceColour(kind), width: percent(phase.time_s) }}
              title={`${phase.name}: ${duration(phase.time_s)}, limited by ${resourceName(phase.bottleneck)}`}
            />
          );
        })}
      </div>
      {limit_s !== null && <span className={classes.physicalLimit} style={{ left: percent(limit_s) }} />}
      <span className={classes.whisker} style={{ left: percent(p10), width: percent(p90 - p10) }} />
    </div>
  );
}

/** Legend of the colors in the bars of these rows. */
export function TimeBarLegend({ rows }: { rows: readonly Pick<RankedAnswer, "phases">[] }) {
  const kinds = [...new Set(rows.flatMap(({ phases }) => phases.map(({ bottleneck }) => resourceKind(bottleneck))))];
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
