import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { atProvider, prove } from "@/api/account";
import { ApiProblem } from "@/api/problem";
import { useSession } from "@/api/session";
import classes from "./Form.module.css";
import { Password } from "./Password";
import { Refusal, remarkOn, useHeld } from "./Refusal";

const PROOF_NEEDED = "urn:stowage:problem:proof-needed";

interface Waiting {
  goOn: () => void;
  giveUp: () => void;
}

interface Proving {
  /** Run a request; if it needs reauthentication, ask for that in place and repeat the request. */
  proven: <Done>(go: () => Promise<Done>) => Promise<Done>;
  /** The form for reauthentication while it is needed; place it outside other forms. */
  form: ReactNode;
}

/** Ask the signed-in person to reauthenticate when the service requires it. */
export function useProof(): Proving {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const proven = async <Done,>(go: () => Promise<Done>): Promise<Done> => {
    try {
      return await go();
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.type !== PROOF_NEEDED) throw error;
      try {
        await new Promise<void>((goOn, refuse) => setWaiting({ goOn, giveUp: () => refuse(error) }));
      } finally {
        setWaiting(null);
      }
      return go();
    }
  };
  return { proven, form: waiting === null ? null : <Proof {...waiting} /> };
}

function Proof({ goOn, giveUp }: Waiting) {
  const session = useSession();
  const proofs = session?.person?.proofs ?? [];
  const provider = session?.provider ?? null;
  return (
    <fieldset className={`${classes.fields} ${classes.after}`}>
      <legend className="title">Confirm that this is you</legend>
      {proofs.includes("password") && <ByPassword goOn={goOn} />}
      {proofs.includes("provider") && provider !== null && <AtProvider provider={provider} />}
      {proofs.length === 0 && (
        <p style={{ margin: 0 }}>
          You signed in with a link some time ago. Sign in with a new one: <code>stowage link</code> prints it on the
          machine that Stowage runs on.
        </p>
      )}
      <div className={classes.actions}>
        <Button variant="subtle" onClick={giveUp}>
          Cancel
        </Button>
      </div>
    </fieldset>
  );
}

function ByPassword({ goOn }: { goOn: () => void }) {
  const [password, setPassword] = useState("");
  const proving = useMutation({
    mutationFn: () => prove({ password }),
    onSuccess: goOn,
    onError: () => setPassword(""),
  });
  const held = useHeld(proving.error);
  return (
    <form
      className={classes.fields}
      onSubmit={(event) => {
        event.preventDefault();
        if (!held && !proving.isPending) proving.mutate();
      }}
    >
      <Password
        label="Current password"
        autoComplete="current-password"
        autoFocus
        required
        value={password}
        error={remarkOn(proving.error, "password")}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Refusal error={proving.error} fields={["password"]} kept="Nothing was changed." />
      <div className={classes.actions}>
        <Button type="submit" loading={proving.isPending} disabled={held}>
          Confirm
        </Button>
      </div>
    </form>
  );
}

function AtProvider({ provider }: { provider: string }) {
  const going = useMutation({
    mutationFn: () => atProvider(window.location.pathname + window.location.search, { prove: true }),
  });
  return (
    <>
      <div className={classes.actions}>
        <Button variant="default" loading={going.isPending} onClick={() => going.mutate()}>
          Confirm with {provider}
        </Button>
        <span>You return to this page; then enter the change again.</span>
      </div>
      <Refusal error={going.error} kept="Nothing was changed." />
    </>
  );
}
