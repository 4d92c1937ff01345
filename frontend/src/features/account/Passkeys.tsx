import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type PasskeyRow, removePasskey } from "@/api/generated";
import { addPasskey, myPasskeys } from "@/api/teams/account";
import { hasPasskeys } from "@/api/teams/passkeys";
import { session as sessionQuery } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { moment } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import form from "@/ui/forms/Form.module.css";
import { useProof } from "@/ui/forms/Proof";
import { submits } from "@/ui/forms/submits";
import classes from "./Account.module.css";

interface PasskeysProps {
  /** Called with the recovery codes that came with the first second factor, or none. */
  onCodes: (codes: { codes: string[] }) => Promise<void>;
}

/** Passkeys of the account: added, listed, removed. */
export function Passkeys({ onCodes }: PasskeysProps) {
  const client = useQueryClient();
  const query = useQuery(myPasskeys);
  const { proven, form: proof } = useProof();
  const [name, setName] = useState("");
  const adding = useMutation({
    mutationFn: () => proven(() => addPasskey(name.trim())),
    onSuccess: async (codes) => {
      setName("");
      await client.invalidateQueries(myPasskeys);
      await onCodes(codes);
    },
  });
  const removing = useChange(
    (id: string) => proven(() => removePasskey({ path: { passkey_id: id } })),
    [myPasskeys.queryKey, sessionQuery.queryKey],
  );
  const rows = query.data?.passkeys ?? [];
  const possible = query.data !== undefined && query.data.domain !== null && hasPasskeys();
  return (
    <section aria-labelledby="passkeys">
      <h3 id="passkeys" className={classes.part}>
        Passkeys
      </h3>
      <QueryState query={query} kept="The passkeys are as they were." />
      {rows.length > 0 && (
        <ul className={`bare ruled columned ${classes.list}`} aria-labelledby="passkeys">
          {rows.map((row) => (
            <One key={row.id} row={row} here={query.data?.domain ?? null} onRemove={() => removing.mutate(row.id)} />
          ))}
        </ul>
      )}
      {query.data !== undefined && !possible && (
        <p className="dim">
          Browsers create passkeys only at domain names with https: open Stowage at such an address, or on this machine
          at <code>{`http://localhost:${window.location.port || "80"}`}</code>.
        </p>
      )}
      {possible && (
        <form className={form.fields} onSubmit={submits(() => adding.mutate(), !adding.isPending)}>
          <div className={form.line}>
            <TextInput
              label="Name of a new passkey"
              placeholder="Laptop"
              description={`Works only at ${query.data.domain}`}
              required
              maxLength={100}
              autoComplete="off"
              style={{ flex: "1 1 280px", maxWidth: 420 }}
              value={name}
              error={remarkOn(adding.error, "name")}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </div>
          <Refusal error={adding.error} fields={["name"]} kept="No passkey was added." />
          <div className={form.actions}>
            <Button type="submit" variant="default" loading={adding.isPending}>
              Add a passkey
            </Button>
          </div>
        </form>
      )}
      <Refusal error={removing.error} kept="The passkeys did not change." />
      {proof}
    </section>
  );
}

interface OneProps {
  row: PasskeyRow;
  here: string | null;
  onRemove: () => void;
}

function One({ row, here, onRemove }: OneProps) {
  return (
    <li>
      <div>
        <strong>{row.name}</strong>
        <div className="dim small">
          added {moment(row.created_at)}
          {row.domain !== here && `, for ${row.domain}`}
        </div>
      </div>
      <div className="dim small">{row.used_at === null ? "not used yet" : `last used ${moment(row.used_at)}`}</div>
      <div className="end no-print">
        <Confirm
          size="compact-sm"
          variant="subtle"
          words="Remove"
          label={`Remove the passkey ${row.name}`}
          go="Remove"
          onGo={() => {
            onRemove();
            return Promise.resolve();
          }}
        >
          You can then no longer sign in with “{row.name}”. Its authenticator still lists it: remove it there too.
        </Confirm>
      </div>
    </li>
  );
}
