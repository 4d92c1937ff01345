// Last question of the plan form, so that links from other pages extend it.

import { currentTeam } from "@/api/team";
import { viewFrom } from "@/features/plan/address/view";
import { choiceFrom, type Search, searchOf } from "@/features/plan/workload/choice";

let last: { team: ReturnType<typeof currentTeam>; search: Search } | undefined;

/** Store the plan page's question with its comparisons, but without open details. */
export function rememberQuestion(search: Search): void {
  const { today = "", pins = "" } = search;
  last = { team: currentTeam(), search: { ...searchOf(choiceFrom(search)), ...viewFrom({ today, pins }) } };
}

/** Return the stored question; empty if this team has none since the page was loaded. */
export function lastQuestion(): Search {
  return last !== undefined && last.team === currentTeam() ? last.search : {};
}
