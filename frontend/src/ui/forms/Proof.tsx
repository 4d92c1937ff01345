import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { prove } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { atProvider, signWithPasskey } from "@/api/teams/account";
import { hasPasskeys } from "@/api/teams/passkeys";
import { useSession } from "@/api/teams/session";
import { Refusal, remarkOn, useHeld } from "@/ui/feedback/Refusal";
import { submits } from "@/ui/forms/submits";
import { Code } from "./Code";
import classes from "./Form.module.css";
import { Password } from "./Password";

const PROOF_NEEDED = "urn:stowage:problem:proof-needed";

interface Waiting {
  goOn: () => void;
  giveUp: () => void;
}

interface Proving {
  /** Run a request; if it requires reauthentication, ask for it in place and repeat the request. */
  proven: <Done>(go: () => Promise<Done>) => Promise<Done>;
  /** Reauthentication form while required; place it outside other forms. */
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
  const person = session?.person ?? null;
  const proofs = person?.proofs ?? [];
  const passwords = session?.passwords !== false;
  const withCode = person?.second_factor ?? false;
  const identified = person?.identified ?? false;
  const provider = session?.provider ?? null;
  return (
    <fieldset className={`${classes.fields} ${classes.after}`}>
      <legend className="title">Confirm that this is you</legend>
      {(identified || (passwords && proofs.includes("password"))) && (
        <Enter
          goOn={goOn}
          withPassword={!identified}
          withCode={withCode}
          withPasskey={(person?.passkeys ?? 0) > 0 && hasPasskeys()}
        />
      )}
      {!identified && proofs.includes("provider") && provider !== null && (
        <AtProvider provider={provider} withCode={withCode} />
      )}
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

interface EnterProps {
  goOn: () => void;
  withPassword: boolean;
  withCode: boolean;
  withPasskey: boolean;
}

function Enter({ goOn, withPassword, withCode, withPasskey }: EnterProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const proving = useMutation({
    mutationFn: async (how: "code" | "passkey") =>
      prove({
        body: {
          ...(withPassword ? { password } : {}),
          ...(how === "passkey" ? { passkey: await signWithPasskey() } : withCode ? { code: code.trim() } : {}),
        },
      }),
    onSuccess: goOn,
    onError: () => {
      setPassword("");
      setCode("");
    },
  });
  const held = useHeld(proving.error);
  return (
    <form className={classes.fields} onSubmit={submits(() => proving.mutate("code"), !held && !proving.isPending)}>
      {withPassword && (
        <Password
          label="Current password"
          autoComplete="current-password"
          autoFocus
          required
          value={password}
          error={remarkOn(proving.error, "password")}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      {withCode && (
        <Code
          autoFocus={!withPassword}
          value={code}
          error={remarkOn(proving.error, "code")}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
      <Refusal error={proving.error} fields={["password", "code"]} kept="Nothing was changed." />
      <div className={classes.actions}>
        <Button type="submit" loading={proving.isPending && proving.variables === "code"} disabled={held}>
          Confirm
        </Button>
        {withPasskey && (
          <Button
            variant="default"
            loading={proving.isPending && proving.variables === "passkey"}
            disabled={held || (withPassword && password === "")}
            onClick={() => proving.mutate("passkey")}
          >
            Confirm with a passkey
          </Button>
        )}
      </div>
    </form>
  );
}

function AtProvider({ provider, withCode }: { provider: string; withCode: boolean }) {
  const going = useMutation({
    mutationFn: () => atProvider(window.location.pathname + window.location.search, { prove: true }),
  });
  return (
    <>
      <div className={classes.actions}>
        <Button variant="default" loading={going.isPending} onClick={() => going.mutate()}>
          Confirm with {provider}
        </Button>
        <span>You return to this page; then enter the change again{withCode && ", with a code or a passkey"}.</span>
      </div>
      <Refusal error={going.error} kept="Nothing was changed." />
    </>
  );
}
