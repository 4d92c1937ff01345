import { Button, Group, MultiSelect } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { setSeriesOfJob } from "@/api/generated";
import { type FinishedJob, finishedJob, jobsKey } from "@/api/measurements/calibrations";
import { measurements } from "@/api/measurements/measurements";
import { useMay } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { SeriesFrame } from "@/features/measurements/SeriesFrame";
import { resourceKind, resourceName } from "@/lib/resources";
import { counted, duration, moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { ObjectPage } from "@/ui/feedback/ObjectPage";
import { Refusal } from "@/ui/feedback/Refusal";
import { backToMeasurements } from "@/ui/links/objects";
import { Sentence } from "@/ui/Sentence";
import { Table } from "@/ui/table/Table";
import classes from "./Calibration.module.css";
import { MeasuredPhases } from "./MeasuredPhases";
import { jobSentence, predictedWithWords } from "./phaseWords";

/** A finished job: measured and predicted times, and the utilization of its machines by phase. */
export function JobPage({ id }: { id: string }) {
  return (
    <ObjectPage
      query={useQuery(finishedJob(id))}
      title="Finished job"
      nameOf={({ name }) => name}
      kind="job"
      className="page"
      kept="The run is kept."
      heights={[320]}
    >
      {(job) => <Loaded job={job} />}
    </ObjectPage>
  );
}

function Loaded({ job }: { job: FinishedJob }) {
  return (
    <div className="page">
      <section className="card" aria-label="In a sentence">
        <h1 className="title wraps">{job.name}</h1>
        <Sentence
          as="p"
          facts={[
            `${job.job} of ${job.data} by ${job.framework} on ${job.nodes} × ${job.instance}, ${job.input_output}`,
            job.started_at !== null && `began ${moment(job.started_at)}`,
            job.predicted !== null && predictedWithWords(job),
            job.physical_limit_s !== null && `physical limit: ${duration(job.physical_limit_s)}`,
          ]}
        >
          {jobSentence(job)}
        </Sentence>
        <Group gap={8} mt={4} align="stretch" className="no-print">
          {backToMeasurements("jobs", "All finished jobs")}
        </Group>
      </section>
      <MeasuredPhases job={job} />
      <Phases job={job} />
      <Seen job={job} />
    </div>
  );
}

function Phases({ job: { phases } }: { job: FinishedJob }) {
  if (phases.length === 0) return null;
  return (
    <Card id="phases" title="What limits each phase">
      <Table
        scrolls="Phases"
        aria-labelledby="phases"
        rows={phases}
        keyOf={({ name }) => name}
        columns={[
          { head: "Phase", rowHead: "strong", cell: ({ name }) => name },
          { head: "Predicted", number: true, cell: ({ predicted_s }) => duration(predicted_s) },
          { head: "Limit, predicted", cell: ({ bottleneck }) => resourceName(bottleneck) },
          {
            head: "Busiest, seen",
            cell: ({ seen, agrees }) =>
              seen === null ? (
                <span className="dim">nothing was watched</span>
              ) : (
                <>
                  {resourceName(seen)}{" "}
                  {agrees === true ? "✓ as predicted" : agrees === false ? "✕ not as predicted" : ""}
                </>
              ),
          },
        ]}
      />
    </Card>
  );
}

function Seen({ job }: { job: FinishedJob }) {
  const { series, phases, name } = job;
  if (series.length === 0) {
    return (
      <Card id="seen" title="What its machines saw">
        <p className="lead">
          Series that iostat, sar, vnStat or CloudWatch wrote beside the job are drawn over its predicted phases:
          whether what was busiest is what should be.
        </p>
        <Attach job={job} />
      </Card>
    );
  }
  const caption = `${counted(series.length, "series", "series")} over the phases that are predicted; shaded where the resource should be the busiest.`;
  return (
    <>
      <SeriesFrame
        title="What its machines saw"
        file={`${name} seen`}
        caption={caption}
        label={caption}
        phases={phases.map(({ name: phase, from_s, to_s, bottleneck }) => ({
          name: phase,
          from_s,
          to_s,
          limit: resourceKind(bottleneck),
        }))}
        series={series}
        nameOf={({ what, of }) => (of === "" ? what : `${what}, ${of}`)}
        kindOf={({ resource }) => (resource === null ? "other" : resourceKind(resource))}
      />
      <section className="card no-print" aria-label="Further series">
        <Attach job={job} />
      </section>
    </>
  );
}

/** Renders the measurements made during the job. */
function Attach({ job }: { job: FinishedJob }) {
  const mayWrite = useMay("measurements.write");
  const [chosen, setChosen] = useState<string[]>(() => [...new Set(job.series.map((one) => one.measurement_id))]);
  const query = useInfiniteQuery({ ...measurements({ search: "", tool: "", verdict: "" }), enabled: mayWrite });
  const monitors = (query.data?.pages ?? [])
    .flatMap((page) => page.measurements)
    .filter(({ tool }) => ["iostat", "sar", "vnstat", "cloudwatch"].includes(tool));
  const attaching = useChange(
    () => setSeriesOfJob({ path: { finished_job_id: job.id }, body: { measurements: chosen } }),
    [jobsKey()],
  );
  if (!mayWrite) return null;
  if (monitors.length === 0) {
    return <p className="dim">Upload one first: it stands among the measurements, and can be chosen here then.</p>;
  }
  return (
    <div className={classes.act}>
      <MultiSelect
        label="Measured beside this job"
        size="xs"
        value={chosen}
        data={monitors.map(({ id, tool, name, measured_at, created_at }) => ({
          value: id,
          label: `${tool} ${name}, ${moment(measured_at ?? created_at)}`,
        }))}
        onChange={setChosen}
        searchable
      />
      <Group gap={8} mt={4} align="stretch">
        <Button size="compact-sm" loading={attaching.isPending} onClick={() => attaching.mutate()}>
          Draw them over its phases
        </Button>
      </Group>
      <Refusal error={attaching.error} kept="The run is as it was." />
    </div>
  );
}
