// Alerts and their addresses.

import { listAlertAddresses, listAlerts } from "@/api/generated";
import { FRESH, ofTeam, requested, retryUnreachable } from "@/api/requests";

export type { AlertAnswer as Alert, StoredAddress as AlertAddress } from "@/api/generated";

const LOOK_EVERY_MS = 60_000;

export function alerts() {
  return ofTeam(["alerts", "list"], listAlerts, {
    ...FRESH,
    refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
  });
}

/** Query the alert addresses of the reader's own team, even on the example team's pages. */
export const alertAddresses = requested(["alerts", "addresses"], listAlertAddresses, FRESH);
