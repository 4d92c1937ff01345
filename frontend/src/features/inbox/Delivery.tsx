import { Checkbox } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  adoptInbox,
  chooseMail,
  choosePosted,
  type Inbox,
  inbox as inboxQuery,
  type NotificationKind,
} from "@/api/teams/inbox";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { QueryState } from "@/ui/feedback/QueryState";
import classes from "./Inbox.module.css";
import { Webhook } from "./Webhook";

const KINDS: Record<NotificationKind, string> = {
  plan: "The answer of a watched plan changed",
  measurement: "A benchmark result changed",
  run: "A run awaits approval",
  report: "A report awaits your approval",
};

/** Choice of the notifications that the reader gets by mail and by webhook, and the webhook itself. */
export function Delivery() {
  const query = useQuery(inboxQuery);
  if (query.data === undefined) {
    return <QueryState query={query} kept="" loading="Reading the choice" heights={[180]} />;
  }
  return (
    <>
      <Kinds inbox={query.data} />
      <h3 className={classes.about}>Webhook</h3>
      <p className={classes.lead}>Messages are JSON; Slack’s incoming webhooks show their field “text”.</p>
      <Webhook webhook={query.data.webhook} />
    </>
  );
}

function Kinds({ inbox }: { inbox: Inbox }) {
  const { kinds: mailable, mailed_kinds: mailed, can_mail: canMail, webhook_kinds: postable, webhook } = inbox;
  const mail = useChoice(chooseMail, mailed);
  const post = useChoice(choosePosted, webhook?.kinds ?? []);
  return (
    <>
      <p className={classes.lead}>
        Every notification is in the inbox. Unread ones also go out by mail, together at most once an hour, and to your
        webhook, together at most once a minute.
        {!canMail &&
          " No mail can be sent to you: the service sends none, or your address is not verified (see Account)."}
        {webhook === null && " To choose what a webhook gets, add one below."}
      </p>
      <table className={classes.kinds}>
        <thead>
          <tr>
            <th scope="col">Notification</th>
            <th scope="col">Mail</th>
            <th scope="col">Webhook</th>
          </tr>
        </thead>
        <tbody>
          {postable.map((kind) => (
            <tr key={kind}>
              <th scope="row">{KINDS[kind]}</th>
              <td>
                {mailable.includes(kind) ? (
                  <Checkbox
                    aria-label={`Mail: ${KINDS[kind]}`}
                    disabled={!canMail && !mail.chosen.includes(kind)}
                    checked={mail.chosen.includes(kind)}
                    onChange={(event) => mail.choose(kind, event.currentTarget.checked)}
                  />
                ) : (
                  <span className="dim small">{canMail ? "always, at once" : "not possible"}</span>
                )}
              </td>
              <td>
                <Checkbox
                  aria-label={`Webhook: ${KINDS[kind]}`}
                  disabled={webhook === null}
                  checked={post.chosen.includes(kind)}
                  onChange={(event) => post.choose(kind, event.currentTarget.checked)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {mail.error !== null && <ProblemNotice error={mail.error} kept="The choice is unchanged." />}
      {post.error !== null && <ProblemNotice error={post.error} kept="The choice is unchanged." />}
    </>
  );
}

/** Return the chosen kinds of a channel, already with a change that is being stored, and a function that changes them. */
function useChoice(store: (kinds: NotificationKind[]) => Promise<Inbox>, stored: NotificationKind[]) {
  const client = useQueryClient();
  const change = useMutation({ mutationFn: store, onSuccess: (answer) => adoptInbox(client, answer) });
  const chosen = change.isPending ? change.variables : stored;
  return {
    chosen,
    error: change.error,
    choose: (kind: NotificationKind, wanted: boolean) =>
      change.mutate(wanted ? [...chosen, kind] : chosen.filter((each) => each !== kind)),
  };
}
