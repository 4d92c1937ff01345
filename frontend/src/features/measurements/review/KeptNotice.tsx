import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { profiles as profilesQuery } from "@/api/measurements/profiles";
import type { Kept } from "@/api/measurements/uploads";
import { useMovedPlans } from "@/features/measurements/changes/movedPlans";
import { MovedList, movedSentence } from "@/features/measurements/changes/PlansChanged";
import classes from "@/features/measurements/Measurements.module.css";
import { profileSentence } from "@/features/measurements/profiles/sentences";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { linkToProfile } from "@/ui/links/objects";

const MOST = 8;
/** Number of newest plans that are recomputed. */
const MOST_PLANS = 20;

/** Stored measurements: the saved plans that they change, and the figures. */
export function KeptNotice({ kept }: { kept: Kept }) {
  const { measurements, known, refused, profiles: changed } = kept;
  const query = useQuery(profilesQuery());
  const found = (query.data?.profiles ?? [])
    .filter(({ key }) => changed.includes(key))
    .toSorted((a, b) => Number(b.feeds) - Number(a.feeds));
  return (
    <section className="card" aria-label="Kept">
      {found.length > 0 && <Plans instances={found.flatMap(({ target }) => target.instance ?? [])} />}
      <p className={found.length > 0 ? "lead" : "headline"} role="status">
        {counted(measurements.length, "measurement is", "measurements are")} kept
        {known > 0 ? `, ${known} ${known === 1 ? "was" : "were"} here already` : ""}
        {found.length > 0 ? `; ${counted(found.length, "figure is", "figures are")} new or changed:` : "."}
      </p>
      {found.length > 0 && (
        <>
          <ul className="bare lines">
            {found.slice(0, MOST).map((profile) => (
              <li key={profile.key}>
                {linkToProfile(profile.key, profileSentence(profile))}
                {!profile.feeds && <span className="dim"> Not used by plans.</span>}
              </li>
            ))}
          </ul>
          {found.length > MOST && <p className="dim">And {found.length - MOST} more.</p>}
        </>
      )}
      {refused.length > 0 && (
        <Notice tone="warn" title={`${counted(refused.length, "measurement was", "measurements were")} not kept.`}>
          <ul className="bare lines">
            {refused.slice(0, MOST).map(({ position, message }) => (
              <li key={`${position} ${message}`}>{message}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Group gap="xs" mt="sm">
        <ButtonLink to="/benchmarks" variant="default" size="compact-sm">
          All results
        </ButtonLink>
      </Group>
    </section>
  );
}

/** Answer to what the measurements change for the saved plans, with progress while it is computed. */
function Plans({ instances }: { instances: readonly string[] }) {
  const found = useMovedPlans(MOST_PLANS, instances);
  const { plans, moved, checked, failed, pending, error } = found;
  if (error !== null) return <ProblemNotice error={error} kept="The measurements are kept." />;
  return (
    <>
      <p className="headline" role="status" data-testid="moved">
        {movedSentence(found)}
      </p>
      {pending && (
        <progress
          className={classes.bar}
          {...(plans.length === 0 ? {} : { max: plans.length, value: checked })}
          aria-label="Progress of checking saved plans"
        />
      )}
      {moved.length > 0 && <MovedList moved={moved} />}
      {!pending && failed > 0 && failed < plans.length && (
        <p className="dim">{counted(failed, "plan", "plans")} could not be recomputed.</p>
      )}
    </>
  );
}
