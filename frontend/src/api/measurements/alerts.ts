// Alerts and their addresses.

import { queryOptions } from "@tanstack/react-query";
import {
  type AlertAddressAnswer,
  type AlertAddressRow,
  type AlertAnswer,
  addAlertAddress,
  listAlertAddresses,
  listAlerts,
  removeAlertAddress,
  seeAlert,
  testAlertAddress,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export type { AlertAddressRow as AlertAddress, AlertAnswer as Alert };

const LOOK_EVERY_MS = 60_000;

export function alerts() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["alerts", team, "list"],
    queryFn: ({ signal }) => answered(listAlerts({ query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
  });
}

export function markSeen(id: string) {
  return answered(seeAlert({ path: { alert_id: id } }));
}

/** Query the alert addresses of the reader's own team, even on the example team's pages. */
export const alertAddresses = queryOptions({
  queryKey: ["alerts", "addresses"],
  queryFn: ({ signal }) => answered(listAlertAddresses({ signal })),
  staleTime: 0,
  refetchInterval: retryUnreachable,
});

export function addAddress(kind: AlertAddressRow["kind"], address: string): Promise<AlertAddressAnswer> {
  return answered(addAlertAddress({ body: { kind, address } }));
}

export function removeAddress(id: string) {
  return answered(removeAlertAddress({ path: { address_id: id } }));
}

/** Send a test message; its delivery is a background job. */
export function tryAddress(id: string) {
  return answered(testAlertAddress({ path: { address_id: id } }));
}
