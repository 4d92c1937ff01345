import { useQuery } from "@tanstack/react-query";
import type { OpenJobsAnswer } from "@/api/generated";
import { load as loadQuery } from "@/api/teams/members";
import { count, counted, threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";

const JOB_WORDS: Record<OpenJobsAnswer["kind"], string> = {
  sweep: "sweeps",
  demo: "example team",
  refresh: "catalog refresh",
  upload: "uploads",
  alert: "notifications",
  account: "AWS account checks",
  document: "report files",
};

/** Load of the team on the service: open jobs, event streams and CPU time. */
export function Load() {
  const query = useQuery(loadQuery);
  const { data } = query;
  return (
    <Card id="load" title="Load">
      <QueryState query={query} kept="Nothing was changed." loading="Reading the load" heights={[60]} />
      {data !== undefined && (
        <>
          <p>
            {data.jobs.length === 0 ? "No background job waits or runs." : data.jobs.map(jobWords).join("; ")}
            {data.streams != null && ` ${counted(data.streams, "open event stream")}.`}
          </p>
          {data.cpu_s != null && (
            <p className="dim small">
              Background jobs used {threeDigits(data.cpu_s)} s of CPU time recently (half-life {data.half_life_s} s).
              Above {data.free_cpu_s} s they pause while other teams work.
            </p>
          )}
        </>
      )}
    </Card>
  );
}

/** Return a sentence about open jobs of one kind: `sweeps: 1 running, 2 waiting, 340 steps left.` */
function jobWords({ kind, running, queued, units_left }: OpenJobsAnswer): string {
  return `${JOB_WORDS[kind]}: ${count(running)} running, ${count(queued)} waiting, ${counted(units_left, "step")} left.`;
}
