import { useQuery } from "@tanstack/react-query";
import { watchedPlans } from "@/api/planning/planWatches";
import { moment } from "@/lib/wording";
import classes from "./PlanWatch.module.css";
import { EVERY, foundWords } from "./words";

/** Mark of a watched plan in a list, with its state. All marks of a list share one query. */
export function WatchMark({ planId }: { planId: string }) {
  const watched = useQuery(watchedPlans()).data?.watches.find((each) => each.plan_id === planId);
  if (watched === undefined) return null;
  const { every, last, told } = watched;
  const isBad = last?.problem != null;
  return (
    <span
      className={classes.mark}
      data-problem={isBad || undefined}
      title={last === null ? "Not checked yet" : `Checked ${moment(last.at)}: ${foundWords(last, told.objective)}`}
    >
      {isBad ? "watched, not answered" : `watched ${EVERY[every]}`}
    </span>
  );
}
