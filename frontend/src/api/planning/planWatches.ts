// Watches of saved plans and their checks.

import { listPlanWatches, type NewPlanWatch, type PlanWatchAnswer, readPlanWatch, watchPlan } from "@/api/generated";
import { FRESH, forTeam, ofTeam, retryUnreachable } from "@/api/requests";
import { currentTeam } from "@/api/team";

export type { PlanCheckAnswer as PlanCheck, PlanWatchAnswer as PlanWatch } from "@/api/generated";

export type Every = NewPlanWatch["every"];
/** Objective of a plan: the value by which two winners are compared. */
export type Objective = NonNullable<PlanWatchAnswer["told"]>["objective"];

const LOOK_EVERY_MS = 60_000;
/** Polling interval during a check, which takes a few seconds [ms]. */
const LOOK_SOON_MS = 2_000;

/** Query the watch of a plan; polled more often during a check. */
export function planWatch(id: string) {
  return ofTeam(["plan watches", "one", id], (request) => readPlanWatch({ path: { plan_id: id }, ...request }), {
    ...FRESH,
    refetchInterval: (query) =>
      retryUnreachable(query) || (query.state.data?.checking === true ? LOOK_SOON_MS : LOOK_EVERY_MS),
  });
}

/** Query all plans that the team watches. */
export function watchedPlans() {
  return ofTeam(["plan watches", "list"], listPlanWatches, {
    ...FRESH,
    refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
  });
}

export function planWatchesKey() {
  return ["plan watches", currentTeam()];
}

export function watch(id: string, how: NewPlanWatch) {
  return watchPlan({ path: { plan_id: id }, body: how, ...forTeam() });
}
