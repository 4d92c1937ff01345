import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { planToday } from "@/api/catalog/catalogs";
import { savedPlans } from "@/api/queries";
import classes from "@/features/measurements/Measurements.module.css";
import { counted } from "@/lib/wording";
import { linkToPlan } from "@/ui/links/objects";

/** Number of newest plans that are searched again. */
const MOST = 5;

/** Changes in the newest saved plans due to measurements. */
export function PlansChanged() {
  const plans = useInfiniteQuery(savedPlans("")).data?.pages[0]?.plans.slice(0, MOST) ?? [];
  const results = useQueries({ queries: plans.map(({ id }) => planToday(id)) });
  const changed = plans.flatMap((plan, index) => {
    const found = results[index]?.data?.measured;
    return found?.changed === true ? [{ plan, sentence: found.sentence }] : [];
  });
  const answered = results.filter(({ data }) => data !== undefined).length;
  if (answered === 0) return null;
  if (changed.length === 0) {
    return answered < plans.length ? null : (
      <p className={classes.waiting}>The winner of your last {counted(plans.length, "plan")} stays as it was.</p>
    );
  }
  return (
    <ul className="bare lines" aria-label="Plans that changed">
      {changed.map(({ plan, sentence }) => (
        <li key={plan.id}>
          {linkToPlan(plan.id, plan.name)}: {sentence}
        </li>
      ))}
    </ul>
  );
}
