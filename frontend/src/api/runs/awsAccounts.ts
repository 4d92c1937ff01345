// AWS accounts that a team has connected. No keys are stored: the service assumes a role, for an hour at a time.

import {
  type AwsAccountAnswer,
  addAwsAccount,
  listAwsAccounts,
  type NewAwsAccount,
  readAwsAccountTemplate,
} from "@/api/generated";
import { FRESH, ofTeam, retryUnreachable, storedOnce } from "@/api/requests";
import { currentTeam } from "@/api/team";

export type { AwsAccountAnswer as AwsAccount, AwsTemplateAnswer as AccountTemplate } from "@/api/generated";

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

/** Query the template that creates the role and bucket of a connection. */
export function template(id: string) {
  return ofTeam(
    ["aws-accounts", "template", id],
    (request) => readAwsAccountTemplate({ path: { account_id: id }, ...request }),
    { retry: false },
  );
}
