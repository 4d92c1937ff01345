// Inbox: notifications of the reader in their own team, and which of them are mailed.

import type { QueryClient } from "@tanstack/react-query";
import { chooseInboxMail, type InboxAnswer, markInboxRead, readInbox } from "@/api/generated";
import { FRESH, requested, retryUnreachable } from "@/api/requests";

export type { InboxAnswer as Inbox, NotificationAnswer as Notification } from "@/api/generated";
export type NotificationKind = InboxAnswer["kinds"][number];

const LOOK_EVERY_MS = 60_000;

/** Query the inbox of the reader's own team, even on the example team's pages. */
export const inbox = requested(["inbox"], readInbox, {
  ...FRESH,
  refetchInterval: (query) => retryUnreachable(query) || LOOK_EVERY_MS,
});

/** Mark notifications as read; all of them if null. */
export function markRead(ids: string[] | null) {
  return markInboxRead({ body: { ids } });
}

export function chooseMail(kinds: NotificationKind[]) {
  return chooseInboxMail({ body: { kinds } });
}

/** Show an answer of the service as the inbox. */
export function adoptInbox(client: QueryClient, answer: InboxAnswer) {
  client.setQueryData(inbox.queryKey, answer);
}
