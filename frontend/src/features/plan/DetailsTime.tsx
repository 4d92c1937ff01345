import { useCallback } from "react";
import { Bars } from "@/charts/Bars";
import { type ChartData, ChartFrame } from "@/charts/ChartFrame";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration, percent } from "@/lib/wording";
import { Value } from "@/ui/Value";
import { longestPhase } from "./longest";
import type { Configuration } from "./useConfigurations";

/** Each phase, and how much of it each resource is busy. */
export function TimeDetails({ configuration }: { configuration: Configuration }) {
  const data = useCallback(() => usesTable(configuration), [configuration]);
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
    <ChartFrame
      level={3}
      title="Use of resources by phase"
      filename="stowage-phases"
      data={data}
      caption={
        longest === undefined
          ? undefined
          : `Bars show the share of each phase that a resource is busy. The longest, ${longest.name}, is limited by ${resourceName(longest.bottleneck)}.`
      }
    >
      <Bars groups={groups} label={groups.map(({ title, text }) => `${title}: ${text}`).join(", ")} />
    </ChartFrame>
  );
}

function usesTable({ phases }: Configuration): ChartData {
  return {
    columns: [
      { head: "Phase", copied: "phase" },
      { head: "Time", copied: "time_s", number: true },
      { head: "Resource", copied: "resource" },
      { head: "Use", copied: "use_percent", number: true },
    ],
    rows: phases.flatMap((phase) =>
      Object.entries(phase.utilization).map(([resource, share]) => ({
        key: `${phase.name} ${resource}`,
        cells: [
          phase.name,
          { copied: phase.time_s, shown: <Value text={duration(phase.time_s)} exact={phase.time_s} unit="s" /> },
          resource,
          { copied: 100 * share, shown: <Value text={percent(share)} exact={100 * share} unit="%" /> },
        ],
      })),
    ),
  };
}
