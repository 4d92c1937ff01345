import { Button, Group, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { difference, type Refresh, refresh } from "@/api/catalog/catalogs";
import { type CatalogSummary, startRefresh } from "@/api/generated";
import { isEnded, type Job } from "@/api/jobs";
import { forTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import { useJob } from "@/api/useJob";
import { count, counted, duration, moment } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { JobProgress } from "@/ui/feedback/JobProgress";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { DifferenceDetails } from "@/ui/values/DifferenceDetails";
import classes from "./CatalogPanel.module.css";

interface CatalogPanelProps {
  catalog: CatalogSummary;
  known: readonly CatalogSummary[];
  region: string;
}

/** Panel with the origin of the catalog, its changes, and its refresh. */
export function CatalogPanel(props: CatalogPanelProps) {
  return (
    <Disclosure summary="About this catalog, and refresh">
      {() => (
        <div className={`columns ${classes.panel}`}>
          <About {...props} />
          <RefreshPanel region={props.region} />
        </div>
      )}
    </Disclosure>
  );
}

function About({ catalog, known, region }: CatalogPanelProps) {
  const { version, title, origin, loaded_at, regions } = catalog;
  const of = regions.find(({ name }) => name === region);
  return (
    <section aria-labelledby="about-catalog">
      <h2 id="about-catalog">{version}</h2>
      <p>
        {title}. {origin === "package" ? "It came with the program" : "It was read from AWS"} and was loaded{" "}
        {moment(loaded_at)}. {counted(regions.length, "region")}
        {of !== undefined &&
          `; in ${region} ${counted(of.instance_types, "instance type")} and ${counted(of.volume_types, "volume type")}`}
        .
      </p>
      <Since catalog={catalog} before={known.find((one) => isBefore(one, catalog, region))} region={region} />
    </section>
  );
}

/** Check if another version of the same provider is older and covers the region. */
function isBefore(one: CatalogSummary, than: CatalogSummary, region: string): boolean {
  return (
    one.version !== than.version &&
    one.provider === than.provider &&
    one.as_of <= than.as_of &&
    one.loaded_at <= than.loaded_at &&
    one.regions.some(({ name }) => name === region)
  );
}

interface SinceProps {
  catalog: CatalogSummary;
  before: CatalogSummary | undefined;
  region: string;
}

function Since({ catalog, before, region }: SinceProps) {
  if (before === undefined) return null;
  return (
    <Disclosure summary={`What is new since ${before.version}`}>
      {() => <Difference version={catalog.version} region={region} since={before.version} />}
    </Disclosure>
  );
}

function Difference({ version, region, since }: { version: string; region: string; since: string }) {
  const query = useQuery(difference(version, region, since));
  if (query.data !== undefined) {
    return (
      <>
        <p>{query.data.sentence}</p>
        <DifferenceDetails difference={query.data} />
      </>
    );
  }
  if (query.error !== null) {
    return <ProblemNotice error={query.error} kept="" onRetry={() => void query.refetch()} />;
  }
  return <p className="dim">Comparing …</p>;
}

const CREDENTIALS: Record<Refresh["credentials"], string> = {
  found: "A worker finds credentials for AWS.",
  missing:
    "No worker finds credentials for AWS: give it a profile or a role with the policy in infra/; until then the catalog stays as it is.",
  unknown: "Whether a worker finds credentials for AWS is not known; a refresh tries.",
};

const HINTS: Partial<Record<Refresh["credentials"], string>> = {
  missing: "Without credentials it can be tried, and will hardly succeed.",
};

function RefreshPanel({ region }: { region: string }) {
  const query = useQuery(refresh());
  const mayRefresh = useMay("service.refresh");
  if (query.data === undefined) {
    if (query.error === null) return null;
    return <ProblemNotice error={query.error} kept="The catalog is kept." onRetry={() => void query.refetch()} />;
  }
  const { job, schedule, credentials, sentence, notes } = query.data;
  return (
    <section aria-labelledby="refresh">
      <h2 id="refresh">Refresh from AWS</h2>
      <p>
        {CREDENTIALS[credentials]} {scheduleWords(schedule)}
      </p>
      {mayRefresh && <Start region={region} known={query.data} />}
      {job !== null && <Progress key={job.id} first={job} />}
      {/* The progress shows the state while the job runs and after it fails. */}
      {(job === null || job.state === "done" || job.state === "cancelled") && <p>{sentence}</p>}
      {notes.length > 0 && (
        <Disclosure summary={`What it found besides (${notes.length})`}>
          {() => (
            <ul className="bullets">
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
    </section>
  );
}

/**
 * Button that starts a refresh. A failed one is retried from its progress, so this one then starts other regions only.
 */
function Start({ region, known }: { region: string; known: Refresh }) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState("here");
  const [elsewhere, setElsewhere] = useState(false);
  const hintId = useId();
  const starting = useMutation({
    mutationFn: (regions: string[]) => startRefresh({ body: { regions }, ...forTeam() }),
    onSuccess: () => {
      setElsewhere(false);
      void client.invalidateQueries({ queryKey: refresh().queryKey });
    },
  });
  const { job, schedule, regions, credentials } = known;
  if (job !== null && !isEnded(job)) return null;
  if (job?.state === "failed" && !elsewhere) {
    return (
      <Button variant="subtle" size="compact-xs" className="no-print" onClick={() => setElsewhere(true)}>
        Refresh other regions
      </Button>
    );
  }
  const impossible = wanted === "here" && !regions.includes(region);
  const hint = impossible ? `${region} is no region of AWS: only those are refreshed.` : HINTS[credentials];
  const asked = wanted === "all" ? regions : wanted === "schedule" ? schedule.regions : [region];
  return (
    <>
      <Group gap={8} mb={8} className="no-print">
        <NativeSelect
          size="xs"
          aria-label="Regions to refresh"
          value={wanted}
          data={[
            { value: "here", label: `Only ${region}` },
            ...(schedule.regions.length > 1
              ? [{ value: "schedule", label: `The schedule’s ${count(schedule.regions.length)} regions` }]
              : []),
            { value: "all", label: `All ${count(regions.length)} regions` },
          ]}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
        <Button
          size="xs"
          disabled={impossible}
          loading={starting.isPending}
          {...(hint === undefined ? {} : { "aria-describedby": hintId })}
          onClick={() => starting.mutate(asked)}
        >
          Refresh
        </Button>
        {hint !== undefined && (
          <span id={hintId} className="dim small">
            {hint}
          </span>
        )}
      </Group>
      {starting.error !== null && <ProblemNotice error={starting.error} kept="The catalog is kept." />}
    </>
  );
}

function scheduleWords({ every_s, regions }: Refresh["schedule"]): string {
  if (every_s === null) return "There is no schedule: it is refreshed on request.";
  const where = regions.length > 4 ? counted(regions.length, "region") : regions.join(", ");
  return `Every ${duration(every_s)} it is refreshed by itself: ${where}.`;
}

/** Progress of the refresh. Refetches the catalogs when it is done. */
function Progress({ first }: { first: Job }) {
  const client = useQueryClient();
  const followed = useJob(first);
  const mayWrite = useMay("service.refresh");
  const { state } = followed.job;
  const [seen, setSeen] = useState(state);
  useEffect(() => {
    if (seen === state) return;
    setSeen(state);
    if (!isEnded({ state })) return;
    void client.invalidateQueries({ queryKey: refresh().queryKey });
    if (state === "done") void client.invalidateQueries({ queryKey: ["catalogs"], exact: true });
  }, [seen, state, client]);
  return (
    <JobProgress
      {...followed}
      units="parts"
      doing="reading types, offers and prices"
      part="worker-refresh"
      kept="The catalog stays as it is."
      {...(mayWrite ? { onCancel: followed.cancel, onRetry: followed.retry } : {})}
    />
  );
}
