import { useQuery } from "@tanstack/react-query";
import type { LoadAnswer, OpenJobsAnswer } from "@/api/generated";
import { load as loadQuery } from "@/api/teams/members";
import { count, counted, threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import classes from "./TeamPage.module.css";

const JOB_WORDS: Record<OpenJobsAnswer["kind"], string> = {
  sweep: "sweeps",
  demo: "example team",
  refresh: "catalog refresh",
  upload: "uploads",
  alert: "notifications",
  account: "AWS account checks",
  document: "report files",
};

const LEVEL_WORDS: Record<ShareProps["level"], string> = {
  idle: "Idle",
  light: "Light",
  heavy: "Heavy",
  paused: "Paused while other teams work",
};

/** Load of the team on the service: CPU time, open jobs and pages with live progress. */
export function Load() {
  const query = useQuery(loadQuery);
  const { data } = query;
  return (
    <Card id="load" title="Load">
      <QueryState query={query} kept="Nothing was changed." loading="Reading the load" heights={[60]} />
      {data !== undefined && (
        <>
          {data.cpu_s != null && data.level != null && (
            <Share share={data.cpu_s / data.free_cpu_s} level={data.level} data={data} />
          )}
          <p>
            {data.jobs.length === 0 ? "No background job waits or runs." : data.jobs.map(jobWords).join("; ")}
            {data.streams != null && ` ${counted(data.streams, "open page")} with live progress.`}
          </p>
        </>
      )}
    </Card>
  );
}

interface ShareProps {
  /** Recent CPU time as a share of what the team may use before its jobs pause. */
  share: number;
  level: NonNullable<LoadAnswer["level"]>;
  data: LoadAnswer;
}

/** CPU time that the team uses, in a word, in percent and as a bar. */
function Share({ share, level, data }: ShareProps) {
  const percent = share > 0 && share < 0.01 ? "under 1%" : `${Math.round(100 * share)}%`;
  return (
    <>
      <p className="line">
        <strong>{LEVEL_WORDS[level]}</strong>, {percent} of the CPU time that background jobs may use before they pause
        for other teams.
      </p>
      <div
        className={classes.track}
        data-level={level}
        role="progressbar"
        aria-label="CPU time used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.round(100 * share))}
        aria-valuetext={`${LEVEL_WORDS[level]}, ${percent}`}
      >
        <span style={{ width: `${Math.min(100, 100 * share).toFixed(1)}%` }} />
      </div>
      <p className="dim small line">
        {threeDigits(data.cpu_s ?? 0)} s of {data.free_cpu_s} s; CPU time used {data.half_life_s} s ago counts half.
      </p>
    </>
  );
}

/** Return a sentence about open jobs of one kind: `sweeps: 1 running, 2 waiting, 340 steps left.` */
function jobWords({ kind, running, queued, units_left }: OpenJobsAnswer): string {
  return `${JOB_WORDS[kind]}: ${count(running)} running, ${count(queued)} waiting, ${counted(units_left, "step")} left.`;
}
