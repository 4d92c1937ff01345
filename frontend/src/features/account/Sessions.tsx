import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { endAllSessions, endSession, type SessionRow } from "@/api/generated";
import { mySessions } from "@/api/teams/account";
import { adoptSignedOut } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import form from "@/ui/forms/Form.module.css";
import { RowAction } from "@/ui/list/RowAction";
import classes from "./Account.module.css";
import { agentWords } from "./agent";

const HOW: Record<SessionRow["how"], string> = { password: "by password", oidc: "at the provider", link: "by a link" };

/** Sessions of the user, which can be ended. */
export function Sessions() {
  const client = useQueryClient();
  const query = useQuery(mySessions);
  const everywhere = useMutation({ mutationFn: () => endAllSessions(), onSuccess: () => adoptSignedOut(client) });
  return (
    <Card id="sessions" title="Where you are signed in">
      <QueryState query={query} kept="The sessions are as they were." loading="Reading the sessions" heights={[40]} />
      <ul className={`bare ruled columned ${classes.list}`} aria-labelledby="sessions">
        {query.data?.sessions.map((row) => (
          <One key={row.id} row={row} />
        ))}
      </ul>
      <div className={form.actions}>
        <Confirm words="Sign out everywhere" go="Sign out" onGo={() => everywhere.mutateAsync()}>
          Every browser is signed out, this one too. Tokens of programs stay.
        </Confirm>
        <Refusal error={everywhere.error} kept="You are signed in as before." />
      </div>
    </Card>
  );
}

function One({ row }: { row: SessionRow }) {
  const ending = useChange(() => endSession({ path: { session_id: row.id } }), [mySessions.queryKey]);
  const browser = agentWords(row.agent);
  return (
    <li>
      <div>
        <strong title={row.agent ?? undefined}>{browser}</strong>
        {row.is_this && <span className="dim"> (this one)</span>}
        <div className="dim small">
          {HOW[row.how]} on {moment(row.created_at)}
          {row.address !== null && ` from ${row.address}`}
        </div>
        <Refusal error={ending.error} kept="It is still signed in." />
      </div>
      <div className="dim small">last used {moment(row.seen_at)}</div>
      <div className="end no-print">
        {!row.is_this && (
          <RowAction label={`Sign out ${browser}, last used ${moment(row.seen_at)}`} change={ending}>
            Sign out
          </RowAction>
        )}
      </div>
    </li>
  );
}
