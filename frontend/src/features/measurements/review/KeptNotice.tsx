import { useQuery } from "@tanstack/react-query";
import { profiles as profilesQuery } from "@/api/measurements/profiles";
import type { Kept } from "@/api/measurements/uploads";
import { profileSentence } from "@/features/measurements/profiles/sentences";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { linkToProfile } from "@/ui/links/objects";

const MOST = 8;

/** Stored measurements, and the profiles that they changed. */
export function KeptNotice({ kept }: { kept: Kept }) {
  const { measurements, known, refused, profiles: changed } = kept;
  const query = useQuery(profilesQuery());
  const found = query.data?.profiles.filter(({ key }) => changed.includes(key)) ?? [];
  return (
    <section className="card" aria-label="Kept" role="status">
      <p className="headline">
        {counted(measurements.length, "measurement is", "measurements are")} kept
        {known > 0 ? `, ${known} ${known === 1 ? "was" : "were"} here already` : ""}.
      </p>
      {found.length > 0 && (
        <>
          <p className="lead">What they say now:</p>
          <ul className="bare lines">
            {found.slice(0, MOST).map((profile) => (
              <li key={profile.key}>{linkToProfile(profile.key, profileSentence(profile))}</li>
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
    </section>
  );
}
