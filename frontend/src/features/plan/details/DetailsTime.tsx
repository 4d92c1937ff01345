import { Skeleton } from "@mantine/core";
import { useMemo } from "react";
import type { CauseAnswer } from "@/api/generated";
import { Chart, type ChartData } from "@/charts/Chart";
import { chartTable, percentCell, secondsCell } from "@/charts/chartTable";
import { bars } from "@/charts/figure";
import { creditFigure } from "@/charts/figures/credit";
import { longestPhase } from "@/features/plan/configurations/longest";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration, percent, threeDigits } from "@/lib/wording";
import { Value } from "@/ui/values/Value";
import { creditCourse, creditTable, creditWords, moves, onEmptyWords } from "./credit";
import { latencyWords } from "./latency";

interface TimeDetailsProps {
  configuration: Configuration;
  objective: Objective;
}

/** Breakdown of the time: phases and resources, effect of bursts, and I/O latency. */
export function TimeDetails({ configuration, objective }: TimeDetailsProps) {
  const latency = latencyWords(configuration);
  return (
    <>
      <Uses configuration={configuration} />
      <PhysicalLimit configuration={configuration} />
      <Causes causes={configuration.causes ?? []} limit_s={configuration.physical_limit_s ?? 0} />
      <Credit configuration={configuration} objective={objective} />
      {latency !== null && (
        <section aria-label="Latency">
          <h3>Latency of one I/O</h3>
          <p className="line">{latency}</p>
        </section>
      )}
    </>
  );
}

/** Physical limit: the time if only the hardware mattered. */
function PhysicalLimit({ configuration }: Pick<TimeDetailsProps, "configuration">) {
  const { physical_limit_s: limit_s, time_s } = configuration;
  if (limit_s === null || limit_s === 0) return null;
  return (
    <section aria-label="Physical limit">
      <h3>Physical limit</h3>
      <p className="line">
        No framework can run this job on these nodes in less than{" "}
        <Value text={duration(limit_s)} exact={limit_s} unit="s" />: every byte moved once, compressed no further than
        you say, at the highest rates known, with full burst buckets and perfect overlap; CPUs and start-up take no
        time. The predicted median is {threeDigits(time_s.p50 / limit_s)} times that.
      </p>
    </section>
  );
}

/** Smaller causes appear in the data table only. */
const SMALLEST_SHARE = 0.005;

/** Waterfall chart of the causes between the physical limit and the prediction. */
function Causes({ causes, limit_s }: { causes: readonly CauseAnswer[]; limit_s: number }) {
  const added_s = causes.reduce((sum, { time_s }) => sum + time_s, 0);
  if (added_s <= 0) return null;
  const whole_s = limit_s + added_s;
  let from_s = limit_s;
  const drawn = causes.flatMap(({ name, time_s }) => {
    const before_s = from_s;
    from_s += time_s;
    if (Math.abs(time_s) < SMALLEST_SHARE * added_s) return [];
    return {
      key: name,
      label: name,
      text: `${time_s < 0 ? "−" : "+"}${duration(Math.abs(time_s))}`,
      from: Math.min(before_s, from_s) / whole_s,
      to: Math.max(before_s, from_s) / whole_s,
      ...(name === "CPU" && { kind: resourceKind(name) }),
    };
  });
  const most = causes.toSorted((one, other) => other.time_s - one.time_s).slice(0, 3);
  return (
    <Chart
      level={3}
      title="Time above the physical limit"
      filename="stowage-causes"
      data={() => causesTable(causes, added_s)}
      caption={`Largest: ${most.map(({ name, time_s }) => `${name} ${percent(time_s / added_s)}`).join(", ")} of the difference. Each bar is added to those above it.`}
      figure={bars(drawn)}
    />
  );
}

function causesTable(causes: readonly CauseAnswer[], added_s: number): ChartData {
  return chartTable(causes, ({ name }) => name, [
    { head: "Cause", copied: "cause", cell: ({ name }) => name },
    { head: "Added", copied: "time_s", number: true, cell: ({ time_s }) => secondsCell(time_s) },
    { head: "Share", copied: "share_percent", number: true, cell: ({ time_s }) => percentCell(time_s / added_s) },
  ]);
}

/** Burst credit over time, if it changes, and the job without it. */
function Credit({ configuration, objective }: TimeDetailsProps) {
  const course = useMemo(() => creditCourse(configuration), [configuration]);
  const onEmpty = onEmptyWords(configuration, objective);
  // The credit courses load with the rest of the details.
  if (configuration.sources === false && onEmpty !== null) {
    return <Skeleton height={200} role="status" aria-label="Fetching the course of the credit" />;
  }
  if (course.lines.length === 0) return null;
  const words = creditWords(course);
  const lives = onEmpty !== null && (
    <p className="line" data-testid="on-empty">
      Lives on burst credit: with empty buckets {onEmpty}.
    </p>
  );
  if (!course.lines.some(moves)) {
    return (
      <section aria-label="Burst credit">
        <h3>Burst credit</h3>
        <p className="line">{words}</p>
        {lives}
      </section>
    );
  }
  return (
    <div>
      <Chart
        level={3}
        title="Burst credit"
        filename="stowage-burst-credit"
        data={() => creditTable(course)}
        caption={`What is left of a full bucket, of one node. ${words}`}
        label={`Burst credit over time. ${words}`}
        figure={creditFigure(course.lines, course.phases)}
      />
      {lives}
    </div>
  );
}

/** Utilization of each resource, by phase. */
function Uses({ configuration }: { configuration: Configuration }) {
  const longest = longestPhase(configuration);
  const groups = configuration.phases.map((phase) => ({
    key: phase.name,
    title: phase.name,
    text: duration(phase.time_s),
    bars: Object.entries(phase.utilization).map(([resource, share]) => ({
      key: resource,
      label: resource === phase.bottleneck ? `${resource}, the limit` : resource,
      text: percent(share),
      from: 0,
      to: Math.min(1, share),
      kind: resourceKind(resource),
    })),
  }));
  return (
    <Chart
      level={3}
      title="Use of resources by phase"
      filename="stowage-phases"
      data={() => usesTable(configuration)}
      caption={
        longest === undefined
          ? undefined
          : `Bars show the share of each phase that a resource is busy. The longest, ${longest.name}, is limited by ${resourceName(longest.bottleneck)}.`
      }
      figure={{ kind: "bars", groups }}
    />
  );
}

function usesTable({ phases }: Configuration): ChartData {
  const uses = phases.flatMap(({ name, time_s, utilization }) =>
    Object.entries(utilization).map(([resource, share]) => ({ name, time_s, resource, share })),
  );
  return chartTable(uses, ({ name, resource }) => `${name} ${resource}`, [
    { head: "Phase", copied: "phase", cell: ({ name }) => name },
    { head: "Time", copied: "time_s", number: true, cell: ({ time_s }) => secondsCell(time_s) },
    { head: "Resource", copied: "resource", cell: ({ resource }) => resource },
    { head: "Use", copied: "use_percent", number: true, cell: ({ share }) => percentCell(share) },
  ]);
}
