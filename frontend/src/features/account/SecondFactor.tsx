import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, renewRecoveryCodes } from "@/api/generated";
import type { SecondFactorSecret } from "@/api/teams/account";
import { type Session, session as sessionQuery } from "@/api/teams/session";
import { Card } from "@/ui/Card";
import { Refusal, remarkOn, useHeld } from "@/ui/feedback/Refusal";
import { Code } from "@/ui/forms/Code";
import { Confirm } from "@/ui/forms/Confirm";
import classes from "@/ui/forms/Form.module.css";
import { useProof } from "@/ui/forms/Proof";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import { submits } from "@/ui/forms/submits";
import { Passkeys } from "./Passkeys";

/** Second factors of the account: authenticator app, passkeys and recovery codes. */
export function SecondFactor({ person }: { person: NonNullable<Session["person"]> }) {
  const client = useQueryClient();
  const { proven, form } = useProof();
  const [codes, setCodes] = useState<string[]>([]);
  const beginning = useMutation({ mutationFn: () => proven(() => beginSecondFactor()) });
  const taking = async ({ codes: taken }: { codes: string[] }) => {
    if (taken.length > 0) setCodes(taken);
    beginning.reset();
    await client.refetchQueries(sessionQuery);
  };
  const renewing = useMutation({ mutationFn: () => proven(() => renewRecoveryCodes()), onSuccess: taking });
  const removing = useMutation({
    mutationFn: () => proven(() => removeSecondFactor()),
    onSuccess: async () => {
      setCodes([]);
      await client.refetchQueries(sessionQuery);
    },
  });
  return (
    <Card id="second-factor" title="Second factor">
      <div className={classes.fields}>
        <p style={{ margin: 0 }}>
          {person.second_factor
            ? `Every sign-in needs ${needed(person)}. ${left(person.recovery_codes)}`
            : "Not set up. With an authenticator app or a passkey, every sign-in also needs a code of the app or the passkey."}
        </p>
        {beginning.data !== undefined && !person.authenticator_app && (
          <SetUp secret={beginning.data} onDone={taking} onGiveUp={() => beginning.reset()} />
        )}
        {codes.length > 0 && (
          <SecretOnce title="Your recovery codes" secret={codes.join("\n")} copy="Copy the codes">
            They are shown only once. Each signs you in once without the app or a passkey: store them like passwords.
          </SecretOnce>
        )}
        <div className={classes.actions}>
          {!person.authenticator_app && beginning.data === undefined && (
            <Button variant="default" loading={beginning.isPending} onClick={() => beginning.mutate()}>
              Set up an authenticator app
            </Button>
          )}
          {person.second_factor && (
            <Button variant="default" loading={renewing.isPending} onClick={() => renewing.mutate()}>
              New recovery codes
            </Button>
          )}
          {person.authenticator_app && (
            <Confirm
              size="sm"
              words="Remove the authenticator app"
              go="Remove"
              onGo={() => {
                // The reauthentication form is outside the dialog, so the dialog closes at once.
                removing.mutate();
                return Promise.resolve();
              }}
            >
              {person.passkeys > 0
                ? "You then sign in with a passkey or a recovery code."
                : "You then sign in without a code, and the recovery codes become invalid."}
            </Confirm>
          )}
        </div>
        <Refusal error={beginning.error} kept="No second factor was set up." />
        <Refusal error={renewing.error} kept="The recovery codes did not change." />
        <Refusal error={removing.error} kept="The second factor did not change." />
      </div>
      {form}
      <Passkeys onCodes={taking} />
    </Card>
  );
}

function needed({ authenticator_app, passkeys }: NonNullable<Session["person"]>): string {
  if (passkeys === 0) return "a code of your authenticator app";
  return authenticator_app ? "a passkey or a code of your authenticator app" : "a passkey";
}

function left(codes: number): string {
  if (codes === 0) return "No recovery code is left: create new ones.";
  return codes === 1 ? "One recovery code is left." : `${codes} recovery codes are left.`;
}

interface SetUpProps {
  secret: SecondFactorSecret;
  onDone: (codes: { codes: string[] }) => Promise<void>;
  onGiveUp: () => void;
}

function SetUp({ secret, onDone, onGiveUp }: SetUpProps) {
  const [code, setCode] = useState("");
  const { proven, form } = useProof();
  const confirming = useMutation({
    mutationFn: () => proven(() => confirmSecondFactor({ body: { code: code.trim() } })),
    onSuccess: onDone,
    onError: () => setCode(""),
  });
  const held = useHeld(confirming.error);
  return (
    <>
      <form
        className={`${classes.fields} ${classes.wide}`}
        onSubmit={submits(() => confirming.mutate(), !held && !confirming.isPending)}
      >
        <p style={{ margin: 0 }}>Scan this QR code with the app, then enter the code that the app shows.</p>
        <img src={secret.qr} alt="QR code of the secret below" width={220} height={220} />
        <p style={{ margin: 0 }}>
          Or type the secret into the app: <code className={classes.secret}>{secret.secret}</code>
        </p>
        <Code
          description="The six digits that the app shows now"
          value={code}
          error={remarkOn(confirming.error, "code")}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Refusal error={confirming.error} fields={["code"]} kept="No second factor was set up." />
        <div className={classes.actions}>
          <Button type="submit" loading={confirming.isPending} disabled={held}>
            Confirm
          </Button>
          <Button variant="subtle" onClick={onGiveUp}>
            Cancel
          </Button>
          <span className="dim small">This signs you out everywhere else.</span>
        </div>
      </form>
      {form}
    </>
  );
}
