import classes from "@/features/measurements/Measurements.module.css";
import { counted } from "@/lib/wording";
import { linkToPlan } from "@/ui/links/objects";
import { type MovedPlan, type MovedPlans, useMovedPlans } from "./movedPlans";

/** Number of newest plans that are searched again. */
const MOST = 5;

/** Changes in the newest saved plans due to measurements. */
export function PlansChanged() {
  const { plans, moved, checked, failed, pending } = useMovedPlans(MOST);
  if (moved.length > 0) return <MovedList moved={moved} />;
  return pending || checked === failed ? null : (
    <p className={classes.waiting}>The answers of your last {counted(plans.length, "plan")} stay as they were.</p>
  );
}

/** Plans with another answer: what wins now, what it costs, and why. */
export function MovedList({ moved }: { moved: readonly MovedPlan[] }) {
  return (
    <ul className="bare lines" aria-label="Plans that changed">
      {moved.map(({ id, name, words, why }) => (
        <li key={id}>
          {linkToPlan(id, name)}: {words}
          {why !== "" && <span className="dim"> {why}.</span>}
        </li>
      ))}
    </ul>
  );
}

/** Summary of checked plans: `1 of 3 saved plans changes.` */
export function movedSentence({ plans, moved, checked, failed, more, pending }: MovedPlans): string {
  if (pending) {
    return plans.length === 0
      ? "Checking your saved plans."
      : `Checking ${counted(plans.length, "saved plan")}: ${checked} done.`;
  }
  if (plans.length === 0) return "You have no saved plans that this could change.";
  if (moved.length > 0) {
    return `${moved.length} of ${more ? `your last ${plans.length}` : plans.length} saved plans ${moved.length === 1 ? "changes" : "change"}.`;
  }
  if (failed === plans.length) return "Your saved plans could not be recomputed.";
  return more ? `None of your last ${plans.length} saved plans changes.` : "No saved plan changes.";
}
