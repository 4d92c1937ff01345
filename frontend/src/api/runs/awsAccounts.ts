// AWS accounts that a team has connected. No keys are stored: the service assumes a role, for an hour at a time.

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
import { answered } from "@/api/problem";
import { FRESH, forTeam, ofTeam, retryUnreachable, storedOnce } from "@/api/requests";
import { currentTeam } from "@/api/team";

export type { AwsAccountAnswer as AwsAccount, AwsAccountChange, AwsTemplateAnswer as AccountTemplate, NewAwsAccount };

const WATCH_MS = 1_000;

export function accountsKey() {
  return ["aws-accounts", currentTeam()];
}

/** Query the connected and pending accounts; polled during a check. */
export function accounts() {
  return ofTeam(["aws-accounts", "list"], listAwsAccounts, {
    ...FRESH,
    refetchInterval: (query) =>
      query.state.data?.accounts.some(({ state }) => state === "checking") === true
        ? WATCH_MS
        : retryUnreachable(query),
  });
}

export function begin(asked: NewAwsAccount): Promise<AwsAccountAnswer> {
  return storedOnce(["account", asked], (request) => addAwsAccount({ body: asked, ...request }));
}

export function change(id: string, details: AwsAccountChange): Promise<AwsAccountAnswer> {
  return answered(changeAwsAccount({ path: { account_id: id }, body: details, ...forTeam() }));
}

/** Start a dry-run check of the role's permissions. */
export function check(id: string): Promise<AwsAccountAnswer> {
  return answered(checkAwsAccount({ path: { account_id: id }, ...forTeam() }));
}

export function remove(id: string): Promise<unknown> {
  return answered(removeAwsAccount({ path: { account_id: id }, ...forTeam() }));
}

/** Query the template that creates the role and bucket of a connection. */
export function template(id: string) {
  return ofTeam(
    ["aws-accounts", "template", id],
    (request) => readAwsAccountTemplate({ path: { account_id: id }, ...request }),
    { retry: false },
  );
}
