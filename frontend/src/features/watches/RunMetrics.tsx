import { useQuery } from "@tanstack/react-query";
import { runMetrics } from "@/api/runs/watches";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { drawnOf } from "./groups";
import { MetricCharts } from "./MetricCharts";

interface RunMetricsProps {
  id: string;
  name: string;
  /** Whether the run is in progress. */
  open: boolean;
}

/** CloudWatch metrics of a run's nodes and volumes. */
export function RunMetrics({ id, name, open }: RunMetricsProps) {
  const query = useQuery(runMetrics(id, open));
  const metrics = query.data;
  const nothing = metrics !== undefined && drawnOf(metrics).length === 0;
  return (
    <Card id="cloudwatch" title="What CloudWatch measured">
      <QueryState query={query} kept="The run is not touched by it." stale="The charts below are the last ones read." />
      {nothing && (
        <p className="dim">
          {open
            ? "Nothing yet: CloudWatch is a few minutes late, and gives the figures of instances every five minutes."
            : "Nothing: the run was over before CloudWatch had anything of it."}
        </p>
      )}
      {metrics !== undefined && !nothing && <MetricCharts metrics={metrics} name={name} level={3} />}
    </Card>
  );
}
