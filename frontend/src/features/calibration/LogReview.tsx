import { Button, Checkbox, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deleteUpload } from "@/api/generated";
import { type JobRow, jobsKey, keepLoggedJobs, type LoggedJob, loggedJobs } from "@/api/measurements/calibrations";
import { type Upload, upload as uploadQuery, uploadsKey } from "@/api/measurements/uploads";
import { measuredWords } from "@/lib/measured";
import { counted, duration, moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { linkToJob } from "@/ui/links/objects";
import { Table } from "@/ui/table/Table";
import classes from "./Calibration.module.css";
import { ClusterForm, type ClusterRemarks } from "./ClusterForm";
import { type ClusterDraft, clusterDraft, clusterOf, lackingOf } from "./logCluster";

interface LogReviewProps {
  upload: Upload;
  /** Called with the added finished jobs. */
  onKept: (jobs: readonly JobRow[]) => void;
}

const FRAMEWORKS: Record<LoggedJob["source"], string> = { spark: "Spark", mapreduce: "MapReduce", ray: "Ray" };

/** Review of a log's finished jobs: parsed values, missing details, and the choice of what to store. */
export function LogReview({ upload, onKept }: LogReviewProps) {
  const query = useQuery(loggedJobs(upload.id));
  if (query.data === undefined) {
    return (
      <QueryState
        query={query}
        kept="The file is kept for a day."
        loading={`Loading the jobs of ${upload.name}`}
        heights={[220]}
      />
    );
  }
  return <Jobs upload={upload} jobs={query.data} onKept={onKept} />;
}

function Jobs({ upload, jobs, onKept }: LogReviewProps & { jobs: readonly LoggedJob[] }) {
  const client = useQueryClient();
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [draft, setDraft] = useState<ClusterDraft>(() => clusterDraft(jobs));
  const [asked, setAsked] = useState(false);
  const chosen = jobs.filter(({ position }) => !left.has(position));
  const lacking = lackingOf(chosen);
  const { cluster, problems } = clusterOf(draft, lacking);
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: [...uploadsKey(), "list"] });
    // The upload is deleted, and must not be requested again.
    client.removeQueries({ queryKey: uploadQuery(upload.id).queryKey });
  };
  const keeping = useMutation({
    mutationFn: () => {
      if (cluster === null) throw new Error("the form is not complete");
      return keepLoggedJobs(
        upload.id,
        chosen.map(({ position }) => position),
        cluster,
      );
    },
    onSuccess: async ({ kept }) => {
      onKept(kept);
      await Promise.all([refresh(), client.invalidateQueries({ queryKey: jobsKey() })]);
    },
  });
  const discarding = useMutation({
    mutationFn: () => deleteUpload({ path: { upload_id: upload.id } }),
    onSuccess: refresh,
  });
  const id = `log-${upload.id}`;
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id} className="headline title wraps" data-testid="log">
        {logSentence(upload.name, jobs)}
      </h2>
      <Table
        scrolls="Jobs of the log"
        aria-labelledby={id}
        rows={jobs}
        keyOf={({ position }) => position}
        rowProps={({ position }) => ({ "data-off": left.has(position) || undefined })}
        columns={[
          {
            head: "Job",
            rowHead: "strong",
            cell: ({ position, name, member, started_at }) => (
              <>
                <Checkbox
                  size="xs"
                  checked={!left.has(position)}
                  label={name}
                  onChange={({ currentTarget: { checked } }) => setLeft((now) => withOne(now, position, !checked))}
                />
                <div className={`dim small ${classes.beside}`}>
                  {[...(member === "" ? [] : [member]), moment(started_at)].join(" · ")}
                </div>
              </>
            ),
          },
          { head: "Time", number: true, cell: ({ measured_s }) => duration(measured_s) },
          { head: "Read", number: true, cell: ({ input_mb }) => sizeWords(input_mb) },
          { head: "Shuffled", number: true, cell: ({ shuffled_mb }) => sizeWords(shuffled_mb) },
          { head: "Written", number: true, cell: ({ output_mb }) => sizeWords(output_mb) },
          {
            head: "Phases",
            headProps: { className: classes.phases },
            className: classes.phases,
            cell: (job) => <LoggedPhases job={job} />,
          },
        ]}
      />
      <Problems upload={upload} />
      <h3 className={`title ${classes.asked}`}>What the log does not say</h3>
      <ClusterForm
        draft={draft}
        lacking={lacking}
        // Empty fields are not errors before the first attempt to store.
        problems={{ ...(asked ? problems : {}), ...refusedFields(keeping.error) }}
        onChange={(change) => {
          setDraft((now) => ({ ...now, ...change }));
          keeping.reset();
        }}
      />
      <div className={`${classes.act} no-print`}>
        <Group gap={8} mt={4} align="stretch">
          <Button
            size="compact-sm"
            disabled={chosen.length === 0}
            loading={keeping.isPending}
            onClick={() => {
              setAsked(true);
              if (cluster !== null) keeping.mutate();
            }}
          >
            Add {counted(chosen.length, "finished job")}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            loading={discarding.isPending}
            onClick={() => discarding.mutate()}
          >
            Discard the file
          </Button>
        </Group>
        <span className="dim small">The jobs are stored with their phases; the log itself is deleted.</span>
        <Refusal
          error={keeping.error ?? discarding.error}
          fields={Object.keys(FIELDS)}
          kept="The file is kept for a day."
        />
      </div>
    </section>
  );
}

/** Remarks on lines of the log that were not parsed, and on missing data. */
function Problems({ upload: { problems } }: { upload: Upload }) {
  if (problems.length === 0) return null;
  return (
    <Notice tone="warn" title="Not all of the log was read.">
      <ul className="bare">
        {problems.slice(0, MOST_LISTED).map(({ member, line, message }) => (
          <li key={`${member} ${line} ${message}`}>
            {[...(member === "" ? [] : [member]), ...(line === null ? [] : [`line ${line}`])].join(", ")}: {message}
          </li>
        ))}
      </ul>
      {problems.length > MOST_LISTED && ` And ${problems.length - MOST_LISTED} more.`}
    </Notice>
  );
}

/** Fields of the request, and the corresponding fields of the form. */
const FIELDS: Record<string, keyof ClusterDraft> = {
  instance: "instance",
  region: "region",
  nodes: "nodes",
  input_output: "place",
  framework: "framework",
  replicas: "replicas",
  job: "job",
  data: "data",
};

function refusedFields(error: unknown): ClusterRemarks {
  const found: ClusterRemarks = {};
  for (const [path, field] of Object.entries(FIELDS)) {
    const remark = remarkOn(error, path);
    if (remark !== undefined) found[field] = remark;
  }
  return found;
}

function withOne(set: ReadonlySet<number>, one: number, there: boolean): ReadonlySet<number> {
  const next = new Set(set);
  if (there) next.add(one);
  else next.delete(one);
  return next;
}

/** Added finished jobs, while other files await review. */
export function AddedJobs({ jobs }: { jobs: readonly JobRow[] }) {
  if (jobs.length === 0) return null;
  return (
    <section className="card" aria-label="Added jobs" role="status">
      <p className="headline">{counted(jobs.length, "finished job is", "finished jobs are")} added.</p>
      <ul className="bare">
        {jobs.slice(0, MOST_LISTED).map(({ id, name }) => (
          <li key={id}>{linkToJob(id, name)}</li>
        ))}
      </ul>
    </section>
  );
}

/** `events.gz: 2 finished jobs of Spark 3.5.7 on 4 nodes.` */
export function logSentence(name: string, jobs: readonly LoggedJob[]): string {
  const [first] = jobs;
  if (first === undefined) return `${name}: no finished job.`;
  const nodes = new Set(jobs.map((job) => job.nodes));
  const on = nodes.size === 1 && first.nodes !== null ? ` on ${counted(first.nodes, "node")}` : "";
  const framework = `${FRAMEWORKS[first.source]} ${first.version}`.trim();
  return `${name}: ${counted(jobs.length, "finished job")} of ${framework}${on}.`;
}

function sizeWords(size_mb: number): string {
  return size_mb === 0 ? "—" : measuredWords("size", size_mb, "MB");
}

function LoggedPhases({ job: { phases } }: { job: LoggedJob }) {
  return (
    <>
      {phases.slice(0, MOST_PHASES).map((phase) => (
        <div key={phase.name} className="small">
          {phase.name}: {duration(phase.measured_s)}
        </div>
      ))}
      {phases.length > MOST_PHASES && <div className="dim small">and {phases.length - MOST_PHASES} more</div>}
    </>
  );
}

const MOST_PHASES = 4;
const MOST_LISTED = 20;
