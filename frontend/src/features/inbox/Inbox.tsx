import { Button, Group, Popover, UnstyledButton } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { adoptInbox, inbox as inboxQuery, markRead, type Notification } from "@/api/teams/inbox";
import { counted, moment } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { BellIcon } from "@/ui/Icons";
import { linkToPlan, linkToProfile, linkToRun } from "@/ui/links/objects";
import classes from "./Inbox.module.css";

/** Number of notifications shown at first, and added by each press of a button. */
const AT_ONCE = 8;

const LINKS: Record<Notification["kind"], (notification: Notification) => ReactNode> = {
  plan: ({ object, words }) => linkToPlan(object, words),
  measurement: ({ object, words }) => linkToProfile(object, words),
  run: ({ object, words }) => linkToRun({ id: object, name: words }),
  report: ({ object, words }) => (
    <Link to="/reports/$reportId" params={{ reportId: object }}>
      {words}
    </Link>
  ),
  webhook: ({ words }) => (
    <Link to="/settings/alerts" search={{ team: undefined }}>
      {words}
    </Link>
  ),
};

const KINDS: Record<Notification["kind"], string> = {
  plan: "Watched plan",
  measurement: "Benchmark results",
  run: "Run to approve",
  report: "Report to approve",
  webhook: "Webhook",
};

/** Bell with the number of unread notifications, which opens the list of them. */
export function Inbox() {
  const [opened, setOpened] = useState(false);
  const query = useQuery(inboxQuery);
  const unread = query.data?.unread ?? 0;
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width="min(400px, 94vw)"
      shadow="md"
      transitionProps={{ duration: 0 }}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton
          className={classes.bell}
          aria-label={unread === 0 ? "Inbox" : `Inbox, ${unread} unread`}
          onClick={() => setOpened(!opened)}
        >
          <BellIcon />
          {unread > 0 && (
            <span className="badge" aria-hidden="true">
              {unread > 99 ? "99+" : unread}
            </span>
          )}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.list} aria-label="Inbox">
        {query.error !== null && query.data === undefined ? (
          <ProblemNotice error={query.error} kept="" onRetry={() => void query.refetch()} />
        ) : (
          <Notifications all={query.data?.notifications ?? []} unread={unread} onGo={() => setOpened(false)} />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Notifications({ all, unread, onGo }: { all: readonly Notification[]; unread: number; onGo: () => void }) {
  const client = useQueryClient();
  const [shown, setShown] = useState(AT_ONCE);
  const heading = useRef<HTMLHeadingElement>(null);
  const reading = useMutation({
    mutationFn: markRead,
    onSuccess: (answer) => {
      adoptInbox(client, answer);
      // The pressed button vanishes: without the focus, Escape and Tab would leave the list.
      heading.current?.focus();
    },
  });
  return (
    <>
      <Group justify="space-between" gap={8}>
        <h2 ref={heading} tabIndex={-1} data-autofocus>
          Inbox
        </h2>
        {unread > 0 && (
          <Button
            variant="default"
            size="compact-xs"
            loading={reading.isPending && reading.variables === null}
            onClick={() => reading.mutate(null)}
          >
            Mark all read
          </Button>
        )}
      </Group>
      <span className="spoken" role="status">
        {counted(unread, "unread notification")}
      </span>
      {reading.error !== null && <ProblemNotice error={reading.error} kept="Nothing was marked." />}
      {all.length === 0 ? (
        <p className="dim">
          No notifications. Changes of watched plans and of benchmark results, and runs and reports to approve are
          listed here.
        </p>
      ) : (
        <ul className="bare ruled" aria-label="Notifications">
          {all.slice(0, shown).map((each) => (
            <li key={each.id} data-unread={!each.read || undefined} className={classes.item}>
              {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the link in it is pressed */}
              <div
                className="wraps"
                onClick={(event) => {
                  if (!(event.target instanceof Element) || event.target.closest("a") === null) return;
                  if (!each.read) reading.mutate([each.id]);
                  onGo();
                }}
              >
                {!each.read && <span className="spoken">Unread: </span>}
                {LINKS[each.kind](each)}
              </div>
              <Group justify="space-between" gap={8} className="dim small">
                <span>
                  {KINDS[each.kind]} · {moment(each.at)}
                </span>
                {!each.read && (
                  <Button
                    variant="subtle"
                    size="compact-xs"
                    aria-label={`Mark read: ${each.words}`}
                    onClick={() => reading.mutate([each.id])}
                  >
                    Mark read
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </ul>
      )}
      <Group justify="space-between" gap={8} mt="xs">
        {all.length > shown ? (
          <Button variant="default" size="compact-xs" onClick={() => setShown(shown + AT_ONCE)}>
            Show older ones
          </Button>
        ) : (
          <span />
        )}
        <Link to="/settings/alerts" search={{ team: undefined }} className="small" onClick={onGo}>
          Mail and webhooks
        </Link>
      </Group>
    </>
  );
}
