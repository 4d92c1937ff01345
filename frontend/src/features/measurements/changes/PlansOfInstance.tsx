import { counted } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { linkToPlan } from "@/ui/links/objects";
import { useMovedPlans } from "./movedPlans";
import { MovedList } from "./PlansChanged";

/** Number of newest plans that are recomputed. */
const MOST = 20;

/** Saved plans whose answer depends on the measured figures of an instance type. */
export function PlansOfInstance({ instance }: { instance: string }) {
  const { plans, more, moved, pending, checked } = useMovedPlans(MOST, [instance]);
  const winning = plans.filter(
    ({ id, best_instance }) => best_instance === instance && !moved.some((plan) => plan.id === id),
  );
  if (!pending && plans.length === 0) return null;
  const last = more ? `your last ${plans.length}` : `your ${counted(plans.length, "saved plan")}`;
  return (
    <Card id="plans" title="Saved plans that it affects">
      {moved.length > 0 && <MovedList moved={moved} />}
      {winning.length > 0 && (
        <ul className="bare lines" aria-label={`Plans that ${instance} wins`}>
          {winning.map(({ id, name, best_nodes }) => (
            <li key={id}>
              {linkToPlan(id, name)}: {best_nodes ?? ""} × {instance} wins.
            </li>
          ))}
        </ul>
      )}
      {pending && (
        <p className="dim" role="status">
          Checking what your measurements change: {checked} of {plans.length} plans done.
        </p>
      )}
      {!pending && moved.length + winning.length === 0 && (
        <p className="lead">
          {instance} wins none of {last}, and its measured figures change no winner.
        </p>
      )}
    </Card>
  );
}
