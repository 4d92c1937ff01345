import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { changeAwsAccount, checkAwsAccount } from "@/api/generated";
import { forTeam } from "@/api/requests";
import {
  type AccountTemplate,
  type AwsAccount,
  accountsKey,
  begin,
  template as templateQuery,
} from "@/api/runs/awsAccounts";
import { useMay } from "@/api/teams/session";
import classes from "@/features/runs/Runs.module.css";
import { usdIn } from "@/lib/amounts";
import { saveText } from "@/lib/csv";
import { Card } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { DESCRIPTION_FIRST, fieldsOf } from "@/ui/forms/fields";
import { submits } from "@/ui/forms/submits";
import { Scroller } from "@/ui/table/Scroller";

const LIMIT = "100";
const REGION = "us-east-1";

/** First step: name and monthly limit. */
export function NewConnection({ onBegun, onEnd }: { onBegun: (id: string) => void; onEnd: () => void }) {
  const client = useQueryClient();
  const [values, setValues] = useState({ name: "", limit: LIMIT, region: REGION });
  const { name, limit, region } = values;
  const month_limit_usd = usdIn(limit);
  const beginning = useMutation({
    mutationFn: () => begin({ name: name.trim(), bucket_region: region.trim(), month_limit_usd: month_limit_usd ?? 0 }),
    onSuccess: async (begun) => {
      await client.invalidateQueries({ queryKey: accountsKey() });
      onBegun(begun.id);
    },
  });
  const { text } = fieldsOf<keyof typeof values>({
    values,
    errors: {
      name: remarkOn(beginning.error, "name"),
      limit: month_limit_usd === null ? "An amount, as 100 USD." : remarkOn(beginning.error, "month_limit_usd"),
      region: remarkOn(beginning.error, "bucket_region"),
    },
    onChange: (field, value) => setValues((before) => ({ ...before, [field]: value })),
    inputWrapperOrder: DESCRIPTION_FIRST,
  });
  return (
    <Card id="connect" title="Connect an AWS account">
      <StepLine at={1} />
      <form
        className={form.fields}
        onSubmit={submits(() => beginning.mutate(), name.trim() !== "" && month_limit_usd !== null)}
      >
        <div className="across small-labels">
          {text("name", "What you call it", "Benchmarks", { required: true, maxLength: 200 })}
          {text("limit", "Limit of a month [USD]", undefined, {
            description: "Runs together are never agreed to above it.",
          })}
          {text("region", "Region of the bucket", undefined, {
            description: "Agents and results travel through it; runs may be anywhere.",
          })}
        </div>
        <div className={form.actions}>
          <Button type="submit" disabled={name.trim() === "" || month_limit_usd === null} loading={beginning.isPending}>
            Go on
          </Button>
          <Button variant="subtle" onClick={onEnd}>
            Cancel
          </Button>
        </div>
        <Refusal
          error={beginning.error}
          fields={["name", "month_limit_usd", "bucket_region"]}
          kept="Nothing was connected."
        />
      </form>
    </Card>
  );
}

const STEPS = ["Name it", "Make the role in AWS", "Say which it is, and check"] as const;

/** Progress through the three steps. */
function StepLine({ at }: { at: 1 | 2 | 3 }) {
  return (
    <ol className={`bare ${classes.threeSteps}`}>
      {STEPS.map((words, index) => (
        <li
          key={words}
          data-status={index + 1 < at ? "ended" : index + 1 === at ? "now" : "ahead"}
          aria-current={index + 1 === at ? "step" : undefined}
        >
          <span aria-hidden="true">{index + 1 < at ? "✓" : index + 1}</span> {words}
          <span className="spoken">{index + 1 < at ? ", over" : ""}</span>
        </li>
      ))}
    </ol>
  );
}

/** Second and third step; later, permissions of the role and their last check. */
export function Connecting({ account }: { account: AwsAccount }) {
  const mayWrite = useMay("accounts.write");
  const fresh = account.state === "unchecked";
  return (
    <div className={classes.connecting}>
      {mayWrite && fresh && (
        <>
          <StepLine at={account.role_arn === null ? 2 : 3} />
          <MakeRole account={account} />
        </>
      )}
      {mayWrite && <SayRole account={account} />}
      <Findings account={account} mayWrite={mayWrite} />
      {mayWrite && !fresh && (
        <Disclosure summary="The template of the role again">{() => <MakeRole account={account} />}</Disclosure>
      )}
    </div>
  );
}

/** The template, and two ways to create a stack from it. */
function MakeRole({ account }: { account: AwsAccount }) {
  const query = useQuery(templateQuery(account.id));
  if (query.error !== null) {
    return <ProblemNotice error={query.error} kept="The connection is kept." onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <p role="status">Writing the template…</p>;
  return <Template made={query.data} />;
}

function Template({
  made: { name, template, console_url, command, external_id, principal },
}: {
  made: AccountTemplate;
}) {
  const facts: [string, ReactNode][] = [
    ["External id", <code key="id">{external_id}</code>],
    [
      "Who assumes the role",
      principal === null ? "asked for when the stack is made" : <code key="principal">{principal}</code>,
    ],
  ];
  return (
    <section className={classes.makeRole} aria-label="Make the role">
      <p className="line">
        The template makes one role and one bucket, and nothing that costs by itself. The role may launch, look at and
        remove only what carries this connection's tag; only who knows the external id can assume it.
      </p>
      <dl className={`terms wraps ${classes.facts}`}>
        {facts.map(([term, said]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{said}</dd>
          </div>
        ))}
      </dl>
      <Group gap="6px 8px">
        <Button size="compact-sm" onClick={() => saveText(template, name, "application/yaml")}>
          Save {name}
        </Button>
        <CopyText label="Copy the template" done="The template is copied." text={() => template} />
        <Button
          variant="default"
          size="compact-sm"
          component="a"
          href={console_url}
          target="_blank"
          rel="noreferrer noopener"
        >
          Open CloudFormation
        </Button>
      </Group>
      <p className="line">Or from a terminal that is signed in to the account, beside the file:</p>
      <div className={`command ${classes.command}`}>
        <pre>{command}</pre>
      </div>
      <CopyText label="Copy the command" done="The command is copied." text={() => command} />
      <Disclosure summary="Read the template">
        {() => (
          <Scroller aria-label="The template" className={`scroller command ${classes.command}`}>
            <pre>{template}</pre>
          </Scroller>
        )}
      </Disclosure>
    </section>
  );
}

const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/.+/;

/** Third step: outputs of the stack, the role and the bucket. */
function SayRole({ account }: { account: AwsAccount }) {
  const client = useQueryClient();
  const [values, setValues] = useState({
    role: account.role_arn ?? "",
    bucket: account.bucket ?? "",
    limit: String(account.month_limit_usd),
  });
  const { role, bucket, limit } = values;
  const month_limit_usd = usdIn(limit);
  const changed =
    role.trim() !== (account.role_arn ?? "") ||
    bucket.trim() !== (account.bucket ?? "") ||
    month_limit_usd !== account.month_limit_usd;
  const saying = useMutation({
    mutationFn: async () => {
      const request = { path: { account_id: account.id }, ...forTeam() };
      if (changed) {
        const limits = month_limit_usd === null ? {} : { month_limit_usd };
        await changeAwsAccount({ ...request, body: { role_arn: role.trim(), bucket: bucket.trim(), ...limits } });
      }
      return checkAwsAccount(request);
    },
    onSettled: () => client.invalidateQueries({ queryKey: accountsKey() }),
  });
  const unlike = role.trim() !== "" && !ROLE.test(role.trim());
  const lacking = role.trim() === "" || bucket.trim() === "" || unlike || month_limit_usd === null;
  const checking = account.state === "checking" || saying.isPending;
  const { text } = fieldsOf<keyof typeof values>({
    values,
    errors: {
      role: unlike ? "As arn:aws:iam::123456789012:role/…" : remarkOn(saying.error, "role_arn"),
      bucket: remarkOn(saying.error, "bucket"),
      limit: month_limit_usd === null ? "An amount, as 100 USD." : remarkOn(saying.error, "month_limit_usd"),
    },
    onChange: (field, value) => setValues((before) => ({ ...before, [field]: value })),
    inputWrapperOrder: DESCRIPTION_FIRST,
  });
  return (
    <form className={form.fields} aria-label="The role" onSubmit={submits(() => saying.mutate(), !lacking)}>
      <div className="across small-labels">
        {text("role", "Role ARN", "arn:aws:iam::123456789012:role/stowage", {
          description: "The stack's output RoleArn.",
        })}
        {text("bucket", "Bucket", "stowage-123456789012", { description: "The stack's output Bucket." })}
        {text("limit", "Limit of a month [USD]")}
      </div>
      <div className={form.actions}>
        <Button type="submit" size="compact-sm" disabled={lacking} loading={checking}>
          {changed ? "Save and check" : account.checked_at === null ? "Check" : "Check again"}
        </Button>
        <span className="dim small">Checked by dry runs: each permission is tried, nothing is made.</span>
      </div>
      <Refusal
        error={saying.error}
        fields={["role_arn", "bucket", "month_limit_usd"]}
        kept="The connection is as it was."
      />
    </form>
  );
}

type Outcome = AwsAccount["findings"][number]["outcome"];

const OUTCOMES: Record<Outcome, readonly [glyph: string, words: string]> = {
  granted: ["✓", "granted"],
  denied: ["✕", "denied"],
  unknown: ["?", "not known"],
};

/** Permissions of the role at the last check; denied ones are always shown, granted ones on demand. */
function Findings({ account, mayWrite }: { account: AwsAccount; mayWrite: boolean }) {
  const { findings, state } = account;
  if (state === "checking") return <p role="status">The role is assumed, and each permission tried…</p>;
  if (findings.length === 0) {
    return mayWrite ? null : <p className="dim">It has not been checked yet.</p>;
  }
  const of = (outcome: Outcome) => findings.filter((finding) => finding.outcome === outcome);
  const [denied, unknown, granted] = [of("denied"), of("unknown"), of("granted")];
  const counts = [
    `${granted.length} granted`,
    ...(unknown.length > 0 ? [`${unknown.length} that only a run can try`] : []),
    ...(denied.length > 0 ? [`${denied.length} denied`] : []),
  ];
  return (
    <section aria-label="Permissions">
      {denied.length > 0 && (
        <>
          <Notice tone="bad">
            Some of what a run needs is denied: update the stack with the newest template, then check again.
          </Notice>
          <FindingsList findings={denied} label="What is denied" />
        </>
      )}
      <Disclosure summary={`${findings.length} permissions: ${counts.join(", ")}`}>
        {() => <FindingsList findings={[...denied, ...unknown, ...granted]} label="What the role may do" />}
      </Disclosure>
    </section>
  );
}

function FindingsList({ findings, label }: Pick<AwsAccount, "findings"> & { label: string }) {
  return (
    <ul className={`bare ${classes.findings}`} aria-label={label}>
      {findings.map(({ action, outcome, words }) => (
        <li key={action} data-outcome={outcome}>
          <span className={classes.outcome}>
            <span aria-hidden="true">{OUTCOMES[outcome][0]}</span> {OUTCOMES[outcome][1]}
          </span>
          <code>{action}</code>
          <span className="dim small">{words}</span>
        </li>
      ))}
    </ul>
  );
}
