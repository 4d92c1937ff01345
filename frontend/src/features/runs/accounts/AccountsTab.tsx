import { Button, Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { removeAwsAccount } from "@/api/generated";
import { forTeam } from "@/api/requests";
import { type AwsAccount, accountsKey, accounts as accountsQuery } from "@/api/runs/awsAccounts";
import { useMay } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import classes from "@/features/runs/Runs.module.css";
import type { AccountsSearch } from "@/features/runs/search";
import { cents } from "@/features/runs/words";
import { counted, moment } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { Mark, type Tone } from "@/ui/values/Mark";
import { Connecting, NewConnection } from "./Connecting";

interface AccountsTabProps {
  search: AccountsSearch;
  onSearch: (search: AccountsSearch) => void;
}

/** Connected AWS accounts, and the form to connect one. */
export function AccountsTab({ search, onSearch }: AccountsTabProps) {
  useDocumentTitle("AWS accounts · Stowage");
  const mayWrite = useMay("accounts.write");
  const query = useQuery(accountsQuery());
  const found = query.data?.accounts;
  const beginning = search.account === "new" && mayWrite;
  return (
    <>
      <section className="card" aria-labelledby="accounts">
        <div className="spread">
          <h1 id="accounts">AWS accounts</h1>
          {mayWrite && !beginning && (found?.length ?? 0) > 0 && (
            <Button size="compact-sm" onClick={() => onSearch({ account: "new" })}>
              Connect an account
            </Button>
          )}
        </div>
        <QueryState
          query={query}
          kept="What is connected stays so."
          stale="The list below is the last one read."
          loading="Reading the list"
          heights={[120]}
        />
        {found?.length === 0 && !beginning && (
          <div className="empty">
            <p>
              Runs happen in your own AWS account and are billed there. Stowage assumes a role that you make from a
              template and can take away at any time; it stores no key of yours.
            </p>
            {mayWrite ? (
              <Button onClick={() => onSearch({ account: "new" })}>Connect an AWS account</Button>
            ) : (
              <p className="dim">An owner of the team can connect one.</p>
            )}
          </div>
        )}
        {found !== undefined && found.length > 0 && (
          <ul className={`bare ruled entries ${classes.list}`} aria-labelledby="accounts">
            {found.map((account) => (
              <Entry
                key={account.id}
                account={account}
                open={search.account === account.id}
                onOpen={(open) => onSearch(open ? { account: account.id } : {})}
              />
            ))}
          </ul>
        )}
      </section>
      {beginning && <NewConnection onBegun={(id) => onSearch({ account: id })} onEnd={() => onSearch({})} />}
    </>
  );
}

const STATES: Record<AwsAccount["state"], readonly [glyph: string, words: string, tone?: Tone]> = {
  unchecked: ["○", "not connected yet", "warn"],
  checking: ["◔", "being checked"],
  connected: ["✓", "connected"],
  failing: ["✕", "not usable", "bad"],
};

function factsOf(account: AwsAccount): string[] {
  return [
    ...(account.account === null ? [] : [`account ${account.account}`]),
    ...(account.bucket === null ? [] : [`bucket ${account.bucket} in ${account.bucket_region}`]),
    `${cents(account.month_committed_usd)} of ${cents(account.month_limit_usd)} a month`,
    ...(account.open_runs > 0 ? [counted(account.open_runs, "run under way", "runs under way")] : []),
    `by ${account.person}, ${moment(account.created_at)}`,
  ];
}

interface EntryProps {
  account: AwsAccount;
  open: boolean;
  onOpen: (open: boolean) => void;
}

function Entry({ account, open, onOpen }: EntryProps) {
  const removing = useChange(
    () => removeAwsAccount({ path: { account_id: account.id }, ...forTeam() }),
    [accountsKey()],
  );
  const [glyph, words, tone] = STATES[account.state];
  return (
    <li className={classes.account}>
      <div className="wraps">
        <div className="strong">{account.name}</div>
        <div className="dim small">{factsOf(account).join(" · ")}</div>
        {account.problem !== null && <div className="bad small">{account.problem}</div>}
      </div>
      <div className={classes.entryState}>
        <Mark glyph={glyph} tone={tone} data-state={account.state}>
          {words}
        </Mark>
        {account.checked_at !== null && <span className="dim small">looked at {moment(account.checked_at)}</span>}
      </div>
      <Acts account={account} open={open} onOpen={onOpen} onRemove={removing.mutateAsync} />
      {removing.error !== null && (
        <div className={classes.below}>
          <Refusal error={removing.error} kept="The account is still connected." />
        </div>
      )}
      {open && (
        <div className={classes.below}>
          <Connecting account={account} />
        </div>
      )}
    </li>
  );
}

function Acts({ account, open, onOpen, onRemove }: EntryProps & { onRemove: () => Promise<unknown> }) {
  const mayWrite = useMay("accounts.write");
  const mayRun = useMay("runs.write");
  const goOn = account.state === "unchecked" && mayWrite;
  const spoken = open ? "Close" : goOn ? "Go on with" : "Details of";
  return (
    <Group gap="6px 8px" className={`${classes.acts} no-print`}>
      {account.state === "connected" && mayRun && (
        <ButtonLink
          to="/benchmarks/runs/new"
          search={{ account: account.id }}
          size="compact-sm"
          aria-label={`New run in ${account.name}`}
        >
          New run
        </ButtonLink>
      )}
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={open}
        aria-label={`${spoken} ${account.name}`}
        onClick={() => onOpen(!open)}
      >
        {open ? "Close" : goOn ? "Go on" : "Details"}
      </Button>
      {mayWrite && (
        <Confirm
          words="Remove"
          label={`Remove ${account.name}`}
          go="Remove the connection"
          variant="subtle"
          onGo={onRemove}
        >
          Runs can no longer be made in it, and it is no longer swept for what was left behind. Delete the stack in AWS
          as well: it holds the role and the bucket. Past runs and their results stay.
        </Confirm>
      )}
    </Group>
  );
}
