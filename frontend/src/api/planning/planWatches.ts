// Watches of saved plans and their checks.

import { queryOptions } from "@tanstack/react-query";
import {
  checkPlan,
  endPlanWatch,
  listPlanWatches,
  type NewPlanWatch,
  type PlanCheckAnswer,
  type PlanWatchAnswer,
  type PlanWatchRow,
  type PlanWinner,
  readPlanWatch,
  watchPlan,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export type {
  NewPlanWatch,
  PlanCheckAnswer as PlanCheck,
  PlanWatchAnswer as PlanWatch,
  PlanWatchRow as WatchedPlan,
  PlanWinner,
};

export type Every = NewPlanWatch["every"];
/** Objective of a plan: the value by which two winners are compared. */
export type Objective = NonNullable<PlanWatchAnswer["told"]>["objective"];

const LOOK_EVERY_MS = 60_000;
/** Polling interval during a check, which takes a few seconds [ms]. */
const LOOK_SOON_MS = 2_000;

/** Query the watch of a plan; polled more often during a check. */
export function planWatch(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["plan watches", team, "one", id],
    queryFn: ({ signal }) => answered(readPlanWatch({ path: { plan_id: id }, query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: (query) =>
      retryUnreachable(query) || (query.state.data?.checking === true ? LOOK_SOON_MS : LOOK_EVERY_MS),
  });
}

/** Query all plans that the team watches. */
export function watchedPlans() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["plan watches", team, "list"],
    queryFn: ({ signal }) => answered(listPlanWatches({ query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
  });
}

export function planWatchesKey() {
  return ["plan watches", currentTeam()];
}

export function watch(id: string, how: NewPlanWatch) {
  return answered(watchPlan({ path: { plan_id: id }, body: how, query: teamQuery(currentTeam()) }));
}

export function endWatch(id: string) {
  return answered(endPlanWatch({ path: { plan_id: id }, query: teamQuery(currentTeam()) }));
}

export function checkNow(id: string) {
  return answered(checkPlan({ path: { plan_id: id }, query: teamQuery(currentTeam()) }));
}
