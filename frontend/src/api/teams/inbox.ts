// Inbox: notifications of the reader in their own team, and which of them are mailed or posted to a webhook.

import type { QueryClient } from "@tanstack/react-query";
import {
  chooseInboxMail,
  chooseInboxWebhook,
  type InboxAnswer,
  markInboxRead,
  readInbox,
  removeInboxWebhook,
  setInboxWebhook,
  tryInboxWebhook,
} from "@/api/generated";
import { FRESH, requested, retryUnreachable } from "@/api/requests";

export type {
  InboxAnswer as Inbox,
  InboxWebhookAnswer as InboxWebhook,
  NotificationAnswer as Notification,
} from "@/api/generated";
export type NotificationKind = InboxAnswer["kinds"][number];

const LOOK_EVERY_MS = 60_000;
const LOOK_FOR_TEST_EVERY_MS = 2_000;

/** Query the inbox of the reader's own team, even on the example team's pages. */
export const inbox = requested(["inbox"], readInbox, {
  ...FRESH,
  refetchInterval: (query) =>
    retryUnreachable(query) || (query.state.data?.webhook?.testing ? LOOK_FOR_TEST_EVERY_MS : LOOK_EVERY_MS),
});

/** Mark notifications as read; all of them if null. */
export function markRead(ids: string[] | null) {
  return markInboxRead({ body: { ids } });
}

export function chooseMail(kinds: NotificationKind[]) {
  return chooseInboxMail({ body: { kinds } });
}

/** Choose the kinds that are posted to the reader's webhook. */
export function choosePosted(kinds: NotificationKind[]) {
  return chooseInboxWebhook({ body: { kinds } });
}

/** Store the reader's webhook; the answer has its new signing secret. */
export function storeWebhook(address: string) {
  return setInboxWebhook({ body: { address } });
}

export function removeWebhook() {
  return removeInboxWebhook();
}

/** Have a test message posted to the reader's webhook; the inbox has its result later. */
export function testWebhook() {
  return tryInboxWebhook();
}

/** Show an answer of the service as the inbox. */
export function adoptInbox(client: QueryClient, answer: InboxAnswer) {
  client.setQueryData(inbox.queryKey, answer);
}
