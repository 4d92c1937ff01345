import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { acceptRun } from "@/api/generated";
import { measurementsKey } from "@/api/measurements/measurements";
import { profilesKey, profiles as profilesQuery } from "@/api/measurements/profiles";
import { plansKey } from "@/api/queries";
import { forTeam } from "@/api/requests";
import { hasEnded, type Run, reranked, run as runQuery, runsKey } from "@/api/runs/runs";
import { useMay } from "@/api/teams/session";
import classes from "@/features/runs/Runs.module.css";
import { counted } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Refusal } from "@/ui/feedback/Refusal";
import { linkToMeasurement, linkToPlan, linkToProfile } from "@/ui/links/objects";

const MOST = 6;

/** Adds the results to the team's profiles, and shows the changes in plans. */
export function Accepting({ run }: { run: Run }) {
  const client = useQueryClient();
  const mayWrite = useMay("measurements.write");
  const accepting = useMutation({
    mutationFn: () => acceptRun({ path: { run_id: run.id }, ...forTeam() }),
    onSettled: () =>
      Promise.all(
        [runQuery(run.id).queryKey, runsKey(), measurementsKey(), profilesKey(), plansKey()].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
  if (run.accepted_as !== null) {
    return (
      <Card id="accepted" title="Taken into the profiles">
        <p className="line">
          {counted(run.accepted_as.measurements.length, "measurement is", "measurements are")} kept:{" "}
          {run.accepted_as.measurements.slice(0, MOST).map((id, index) => (
            <span key={id}>
              {index > 0 && ", "}
              {linkToMeasurement(id, `measurement ${index + 1}`)}
            </span>
          ))}
          {run.accepted_as.measurements.length > MOST && ` and ${run.accepted_as.measurements.length - MOST} more`}.
        </p>
        {accepting.data !== undefined && <Said keys={accepting.data.profiles} />}
        <Plans run={run} />
      </Card>
    );
  }
  if (!run.can_accept) return null;
  return (
    <Card id="accepting" title="Take it into the profiles">
      <p className="line">
        {hasEnded(run)
          ? "The results become measurements of your team, judged like any others; plans rest on them from then on."
          : "What has come so far can be taken in when the run has ended."}
      </p>
      {mayWrite && hasEnded(run) && (
        <Group gap="8px 12px" mt={14} className={`${classes.start} no-print`}>
          <Button loading={accepting.isPending} onClick={() => accepting.mutate()}>
            Accept the results
          </Button>
        </Group>
      )}
      <Refusal error={accepting.error} kept="The results are kept with the run." />
    </Card>
  );
}

/** Profiles that contain the accepted results. */
function Said({ keys }: { keys: readonly string[] }) {
  const found = useQuery(profilesQuery()).data?.profiles.filter(({ key }) => keys.includes(key)) ?? [];
  if (found.length === 0) return null;
  return (
    <p className="line">
      Figures that they are part of:{" "}
      {found.slice(0, MOST).map(({ key, what, target_words }, index) => (
        <span key={key}>
          {index > 0 && "; "}
          {linkToProfile(key, `${what} of ${target_words}`)}
        </span>
      ))}
      {found.length > MOST && ` and ${found.length - MOST} more`}.
    </p>
  );
}

/** Changes in saved plans. */
function Plans({ run }: { run: Run }) {
  const { data } = useQuery(reranked(run.id));
  if (data === undefined) return null;
  if (data.plans.length === 0) return <p className="line">No saved plan is answered otherwise because of it.</p>;
  return (
    <>
      <p className="line">What it changed in saved plans:</p>
      <ul className={`bare lines ${classes.plainList}`} aria-label="Plans that changed">
        {data.plans.map(({ plan_id, name, measured }) => (
          <li key={plan_id}>
            {linkToPlan(plan_id, name)}: {measured.sentence}
          </li>
        ))}
      </ul>
    </>
  );
}
