import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  adoptInbox,
  type InboxWebhook,
  inbox as inboxQuery,
  removeWebhook,
  storeWebhook,
  testWebhook,
} from "@/api/teams/inbox";
import { useChange } from "@/api/useChange";
import { moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import { submits } from "@/ui/forms/submits";
import classes from "./Inbox.module.css";

const LONGEST_ADDRESS = 2_000;

/** Webhook of the reader: its address, a test with the result in words, and the form that stores an address. */
export function Webhook({ webhook }: { webhook: InboxWebhook | null }) {
  const client = useQueryClient();
  const [address, setAddress] = useState("");
  const storing = useMutation({
    mutationFn: () => storeWebhook(address.trim()),
    onSuccess: (answer) => {
      setAddress("");
      adoptInbox(client, answer.inbox);
    },
  });
  return (
    <>
      {webhook !== null && <Stored webhook={webhook} onRemoved={() => storing.reset()} />}
      {storing.data !== undefined && webhook !== null && (
        <div className={classes.secret}>
          <SecretOnce title="Secret of the webhook" secret={storing.data.secret} copy="Copy the secret">
            Each message is signed with it. It is shown this once.
          </SecretOnce>
        </div>
      )}
      <form className={form.fields} onSubmit={submits(() => storing.mutate())}>
        <div className={form.line}>
          <TextInput
            size="xs"
            label={webhook === null ? "Address (https)" : "New address (https)"}
            type="url"
            required
            maxLength={LONGEST_ADDRESS}
            placeholder="https://hooks.example.org/stowage"
            error={remarkOn(storing.error, "address")}
            style={{ flex: "1 1 280px" }}
            value={address}
            autoComplete="off"
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <Button type="submit" size="compact-sm" loading={storing.isPending}>
            {webhook === null ? "Add" : "Replace"}
          </Button>
        </div>
        <Refusal error={storing.error} fields={["address"]} kept="No address was stored." />
      </form>
    </>
  );
}

function Stored({ webhook, onRemoved }: { webhook: InboxWebhook; onRemoved: () => void }) {
  const client = useQueryClient();
  const removing = useChange(removeWebhook, [inboxQuery.queryKey], onRemoved);
  const testing = useMutation({ mutationFn: testWebhook, onSuccess: (answer) => adoptInbox(client, answer) });
  return (
    <div className={classes.webhook}>
      <code className={classes.address}>{webhook.address}</code>
      <Group gap={8}>
        <Button
          variant="default"
          size="compact-sm"
          loading={testing.isPending || webhook.testing}
          onClick={() => testing.mutate()}
        >
          Send a test
        </Button>
        <Button variant="subtle" size="compact-sm" loading={removing.isPending} onClick={() => removing.mutate()}>
          Remove
        </Button>
        <span className="small" role="status">
          {testState(webhook)}
        </span>
      </Group>
      {webhook.trouble !== null && (
        <Notice
          tone="warn"
          title={webhook.stopped_at === null ? "The last delivery failed." : "Deliveries have stopped."}
        >
          {` ${webhook.trouble} `}
          {webhook.stopped_at === null
            ? "It is retried, up to five attempts in all."
            : `Since ${moment(webhook.stopped_at)} nothing is posted. A test that succeeds resumes, with what is unread.`}
        </Notice>
      )}
      <Refusal error={removing.error ?? testing.error} kept="The webhook is unchanged." />
    </div>
  );
}

/** Describe the result of the last test message. */
function testState({ testing, test_result, tested_at }: InboxWebhook): string {
  if (testing) return "The test message is being sent.";
  if (test_result === null) return "";
  return tested_at === null ? test_result : `Test of ${moment(tested_at)}: ${test_result}`;
}
