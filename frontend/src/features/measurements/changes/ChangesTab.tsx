import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { seeAlert } from "@/api/generated";
import { type Alert, alerts as alertsQuery } from "@/api/measurements/alerts";
import { type Change as ChangeRow, changes as changesQuery } from "@/api/measurements/profiles";
import { useMay } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import classes from "@/features/measurements/Measurements.module.css";
import { profileTitle } from "@/features/measurements/profiles/sentences";
import { differenceWords, measuredWords } from "@/lib/measured";
import { day } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { linkToPlan, linkToProfile } from "@/ui/links/objects";

interface ChangesTabProps {
  onlyRegressions: boolean;
  onOnly: (only: boolean) => void;
}

/** Lasting changes of performance, and unseen alerts. */
export function ChangesTab({ onlyRegressions, onOnly }: ChangesTabProps) {
  const query = useQuery(changesQuery(onlyRegressions));
  const mayTell = useMay("team.write");
  const found = query.data?.changes;
  return (
    <>
      <Unseen />
      <Checkbox
        className="no-print"
        label="Only changes for the worse"
        checked={onlyRegressions}
        onChange={(event) => onOnly(event.currentTarget.checked)}
      />
      <QueryState query={query} kept="What was measured is kept." loading="Reading what changed" heights={[120]} />
      {found?.length === 0 && (
        <p className="line">
          {onlyRegressions ? "Nothing became worse" : "Nothing changed"} that six measurements or more show. The more
          often the same is measured, the smaller the changes that are found.
        </p>
      )}
      {found !== undefined && found.length > 0 && (
        <ul className="bare ruled between rows" aria-label="Changes">
          {found.map((change) => (
            <Change key={`${change.profile_key} ${change.at}`} change={change} />
          ))}
        </ul>
      )}
      {mayTell && (
        <p className="no-print">
          <Link to="/settings/alerts">Where alerts are sent</Link>
        </p>
      )}
    </>
  );
}

const DIRECTION = { regression: "Worse", improvement: "Better" } as const;

function Change({ change }: { change: ChangeRow }) {
  const { profile_key, what, target_words, metric, unit, at, before, after, factor, direction } = change;
  return (
    <li>
      <div>
        {direction !== null && (
          <span className={direction === "regression" ? "strong bad" : "strong"}>{DIRECTION[direction]}: </span>
        )}
        <strong>{differenceWords(100 * (factor - 1))}</strong> since {day(at)}
        <div>
          {linkToProfile(profile_key, profileTitle({ metric, what }))} <span className="dim">of {target_words}</span>
        </div>
      </div>
      <div style={{ whiteSpace: "nowrap" }}>
        {measuredWords(metric, before, unit)} → <strong>{measuredWords(metric, after, unit)}</strong>
      </div>
    </li>
  );
}

/** Unseen alerts. */
function Unseen() {
  const query = useQuery(alertsQuery());
  const unseen = query.data?.alerts.filter(({ seen_at }) => seen_at === null) ?? [];
  if (unseen.length === 0) return null;
  return (
    <ul className={`bare ruled between rows ${classes.rows}`} aria-label="New alerts">
      {unseen.map((alert) => (
        <UnseenAlert key={alert.id} alert={alert} />
      ))}
    </ul>
  );
}

function UnseenAlert({ alert }: { alert: Alert }) {
  const maySee = useMay("measurements.write");
  const seeing = useChange(() => seeAlert({ path: { alert_id: alert.id } }), [["alerts"]]);
  return (
    <li data-new>
      <div>
        <strong>New:</strong>{" "}
        {alert.plan_id === null ? (
          linkToProfile(alert.profile_key ?? "", alert.words)
        ) : (
          <>
            {linkToPlan(alert.plan_id, alert.plan_name ?? "A plan")}: {alert.words}
          </>
        )}{" "}
        <span className="dim small">{day(alert.created_at)}</span>
      </div>
      {maySee && (
        <Button size="compact-xs" variant="default" loading={seeing.isPending} onClick={() => seeing.mutate()}>
          Seen
        </Button>
      )}
    </li>
  );
}
