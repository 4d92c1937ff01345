// AWS accounts that a team has connected. No keys are stored: the service assumes a role, for an hour at a time.

import { queryOptions } from "@tanstack/react-query";
import {
  type AwsAccountAnswer,
  type AwsAccountChange,
  type AwsTemplateAnswer,
  addAwsAccount,
  changeAwsAccount,
  checkAwsAccount,
  listAwsAccounts,
  type NewAwsAccount,
  readAwsAccountTemplate,
  removeAwsAccount,
} from "@/api/generated";
import { once } from "@/api/once";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";
import { currentTeam, teamQuery } from "@/api/team";

export type { AwsAccountAnswer as AwsAccount, AwsAccountChange, AwsTemplateAnswer as AccountTemplate, NewAwsAccount };

const WATCH_MS = 1_000;

export function accountsKey() {
  return ["aws-accounts", currentTeam()];
}

/** Query the connected and pending accounts; polled during a check. */
export function accounts() {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["aws-accounts", team, "list"],
    queryFn: ({ signal }) => answered(listAwsAccounts({ query: teamQuery(team), signal })),
    staleTime: 0,
    refetchInterval: (query) =>
      query.state.data?.accounts.some(({ state }) => state === "checking") === true
        ? WATCH_MS
        : retryUnreachable(query),
  });
}

export function begin(asked: NewAwsAccount): Promise<AwsAccountAnswer> {
  const team = currentTeam();
  return once([team, "account", asked], (key) =>
    answered(addAwsAccount({ body: asked, headers: { "Idempotency-Key": key }, query: teamQuery(team) })),
  );
}

export function change(id: string, details: AwsAccountChange): Promise<AwsAccountAnswer> {
  return answered(changeAwsAccount({ path: { account_id: id }, body: details, query: teamQuery(currentTeam()) }));
}

/** Start a dry-run check of the role's permissions. */
export function check(id: string): Promise<AwsAccountAnswer> {
  return answered(checkAwsAccount({ path: { account_id: id }, query: teamQuery(currentTeam()) }));
}

export function remove(id: string): Promise<unknown> {
  return answered(removeAwsAccount({ path: { account_id: id }, query: teamQuery(currentTeam()) }));
}

/** Query the template that creates the role and bucket of a connection. */
export function template(id: string) {
  const team = currentTeam();
  return queryOptions({
    queryKey: ["aws-accounts", team, "template", id],
    queryFn: ({ signal }) =>
      answered(readAwsAccountTemplate({ path: { account_id: id }, query: teamQuery(team), signal })),
    retry: false,
    refetchInterval: retryUnreachable,
  });
}
