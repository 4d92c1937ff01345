// Last question of the plan form, so that links from other pages extend it.

import { currentTeam } from "@/api/team";
import { viewFrom } from "@/features/plan/address/view";
import { choiceFrom, type Search, searchOf } from "@/features/plan/workload/choice";

let last: { team: ReturnType<typeof currentTeam>; search: Search } | undefined;

/** Remember the question of the plan page with what it is compared with, and not which details were open. */
export function rememberQuestion(search: Search): void {
  const { today = "", pins = "" } = search;
  last = { team: currentTeam(), search: { ...searchOf(choiceFrom(search)), ...viewFrom({ today, pins }) } };
}

/** Recall it; nothing where this team asked none since the page was loaded. */
export function lastQuestion(): Search {
  return last !== undefined && last.team === currentTeam() ? last.search : {};
}
