// Saved views of the instance types.

import { listInstanceViews, type Shown, saveInstanceView } from "@/api/generated";
import { FRESH, ofTeam, storedOnce } from "@/api/requests";
import { currentTeam } from "@/api/team";

export type { ViewAnswer as SavedView } from "@/api/generated";

/** Key prefix of all cached data about saved views of the team in the URL. */
export function viewsKey() {
  return ["instance views", currentTeam()];
}

export function savedViews() {
  return ofTeam(["instance views", "list"], listInstanceViews, FRESH);
}

/** Save a view for the team. */
export function saveView(name: string, shown: Shown) {
  return storedOnce(["instance view", name, shown], (request) =>
    saveInstanceView({ body: { name, shown }, ...request }),
  );
}
