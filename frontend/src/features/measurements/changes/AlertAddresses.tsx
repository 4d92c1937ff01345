import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addAlertAddress, removeAlertAddress, testAlertAddress } from "@/api/generated";
import { type AlertAddress, alertAddresses } from "@/api/measurements/alerts";
import { useChange } from "@/api/useChange";
import classes from "@/features/measurements/Measurements.module.css";
import { day } from "@/lib/wording";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import { submits } from "@/ui/forms/submits";
import { RowAction } from "@/ui/list/RowAction";

/** Addresses to which alerts about changes and watched plans are sent. */
export function AlertAddresses() {
  const query = useQuery(alertAddresses);
  return (
    <>
      <ul className="bare ruled between rows" aria-label="Addresses">
        {query.data?.addresses.map((address) => (
          <Address key={address.id} address={address} />
        ))}
      </ul>
      <NewAddress />
    </>
  );
}

function Address({ address: { id, kind, address, person, created_at } }: { address: AlertAddress }) {
  const removing = useChange(() => removeAlertAddress({ path: { address_id: id } }), [alertAddresses.queryKey]);
  const trying = useMutation({ mutationFn: () => testAlertAddress({ path: { address_id: id } }) });
  return (
    <li>
      <div>
        {kind === "mail" ? "Mail to" : "Webhook"} <strong className={classes.fileName}>{address}</strong>
        <div className="dim small">
          by {person}, {day(created_at)}
        </div>
        <Refusal error={removing.error ?? trying.error} kept="The address is kept." />
        <span className="small" role="status">
          {trying.isSuccess ? "A trial is on its way." : ""}
        </span>
      </div>
      <Group gap={4} wrap="nowrap" align="stretch">
        <RowAction label={`Try ${address}`} change={trying}>
          Try it
        </RowAction>
        <RowAction label={`Remove ${address}`} change={removing}>
          Remove
        </RowAction>
      </Group>
    </li>
  );
}

function NewAddress() {
  const client = useQueryClient();
  const [kind, setKind] = useState<AlertAddress["kind"]>("mail");
  const [address, setAddress] = useState("");
  const adding = useMutation({
    mutationFn: () => addAlertAddress({ body: { kind, address: address.trim() } }),
    onSuccess: async () => {
      setAddress("");
      await client.invalidateQueries({ queryKey: alertAddresses.queryKey });
    },
  });
  return (
    <form className={form.fields} onSubmit={submits(() => adding.mutate())}>
      <div className={form.line}>
        <NativeSelect
          size="xs"
          label="By"
          value={kind}
          data={[
            { value: "mail", label: "Mail" },
            { value: "webhook", label: "Webhook" },
          ]}
          onChange={(event) => setKind(event.currentTarget.value as AlertAddress["kind"])}
        />
        <TextInput
          size="xs"
          label={kind === "mail" ? "E-mail" : "Address (https)"}
          type={kind === "mail" ? "email" : "url"}
          required
          maxLength={2_000}
          placeholder={kind === "mail" ? "storage@example.org" : "https://hooks.example.org/stowage"}
          error={remarkOn(adding.error, "address")}
          style={{ flex: "1 1 280px" }}
          value={address}
          autoComplete="off"
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <Button type="submit" size="compact-sm" loading={adding.isPending}>
          Add
        </Button>
      </div>
      <Refusal error={adding.error} fields={["address"]} kept="No address was added." />
      {typeof adding.data?.secret === "string" && (
        <SecretOnce title="Secret of the webhook" secret={adding.data.secret} copy="Copy the secret">
          Each message is signed with it. It is shown this once.
        </SecretOnce>
      )}
    </form>
  );
}
