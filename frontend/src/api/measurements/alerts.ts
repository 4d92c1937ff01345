// Alerts and their addresses.

import {
  type AlertAddressAnswer,
  type AlertAnswer,
  addAlertAddress,
  listAlertAddresses,
  listAlerts,
  removeAlertAddress,
  type StoredAddress,
  seeAlert,
  testAlertAddress,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { FRESH, ofTeam, requested, retryUnreachable } from "@/api/requests";

export type { AlertAnswer as Alert, StoredAddress as AlertAddress };

const LOOK_EVERY_MS = 60_000;

export function alerts() {
  return ofTeam(["alerts", "list"], listAlerts, {
    ...FRESH,
    refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
  });
}

export function markSeen(id: string) {
  return answered(seeAlert({ path: { alert_id: id } }));
}

/** Query the alert addresses of the reader's own team, even on the example team's pages. */
export const alertAddresses = requested(["alerts", "addresses"], listAlertAddresses, FRESH);

export function addAddress(kind: StoredAddress["kind"], address: string): Promise<AlertAddressAnswer> {
  return answered(addAlertAddress({ body: { kind, address } }));
}

export function removeAddress(id: string) {
  return answered(removeAlertAddress({ path: { address_id: id } }));
}

/** Send a test message; its delivery is a background job. */
export function tryAddress(id: string) {
  return answered(testAlertAddress({ path: { address_id: id } }));
}
