import { Checkbox, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { adoptInbox, chooseMail, inbox as inboxQuery, type NotificationKind } from "@/api/teams/inbox";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { QueryState } from "@/ui/feedback/QueryState";

const KINDS: Record<Exclude<NotificationKind, "report">, string> = {
  plan: "The answer of a watched plan changed",
  measurement: "A benchmark result changed",
  run: "A run awaits approval",
};

const MAILABLE = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** Choice of the notifications that the reader gets by mail. */
export function MailedKinds() {
  const client = useQueryClient();
  const query = useQuery(inboxQuery);
  const choosing = useMutation({ mutationFn: chooseMail, onSuccess: (answer) => adoptInbox(client, answer) });
  if (query.data === undefined) {
    return <QueryState query={query} kept="" loading="Reading the choice" heights={[90]} />;
  }
  const { kinds, mailed_kinds: mailed, can_mail: possible } = query.data;
  const chosen = choosing.isPending ? choosing.variables : mailed;
  return (
    <>
      <p className="dim" style={{ margin: "0 0 8px" }}>
        {possible
          ? "Unread notifications of these kinds, in one mail at most once an hour. Requests to approve a report are mailed at once."
          : "No mail can be sent to you: the service sends none, or your address is not verified (see Account)."}
      </p>
      <Stack gap={8} role="group" aria-label="By mail to you">
        {MAILABLE.filter((kind) => kinds.includes(kind)).map((kind) => (
          <Checkbox
            key={kind}
            label={KINDS[kind]}
            disabled={!possible && !chosen.includes(kind)}
            checked={chosen.includes(kind)}
            onChange={(event) =>
              choosing.mutate(event.currentTarget.checked ? [...chosen, kind] : chosen.filter((each) => each !== kind))
            }
          />
        ))}
      </Stack>
      {choosing.error !== null && <ProblemNotice error={choosing.error} kept="The choice is unchanged." />}
    </>
  );
}
