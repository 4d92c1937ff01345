import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { finishSignIn } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { signWithPasskey } from "@/api/teams/account";
import { hasPasskeys } from "@/api/teams/passkeys";
import { adoptSignedOut, useAdopt, useSession } from "@/api/teams/session";
import { Notice } from "@/ui/feedback/Notice";
import { Refusal, remarkOn, useHeld } from "@/ui/feedback/Refusal";
import { Code } from "@/ui/forms/Code";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";
import { submits } from "@/ui/forms/submits";

/** Second step of a sign-in: a passkey or a code. */
export function SecondStep() {
  useDocumentTitle("Sign in · Stowage");
  const client = useQueryClient();
  const [code, setCode] = useState("");
  const adopt = useAdopt();
  const withPasskey = useSession()?.passkey_fits === true && hasPasskeys();
  const finishing = useMutation({
    mutationFn: (how: "code" | "passkey") =>
      how === "code"
        ? finishSignIn({ body: { code: code.trim() } })
        : signWithPasskey().then((passkey) => finishSignIn({ body: { passkey } })),
    onSuccess: adopt,
    // A wrong code has to be typed again.
    onError: () => setCode(""),
  });
  const held = useHeld(finishing.error);
  const over = finishing.error instanceof ApiProblem && finishing.error.status === 401;
  const again = (
    <Button variant={over ? "filled" : "subtle"} onClick={() => adoptSignedOut(client)}>
      Sign in again
    </Button>
  );
  return (
    <NarrowPage id="sign-in" title="Second factor">
      {over ? (
        <div className={classes.fields}>
          <Notice tone="warn">The sign-in has expired.</Notice>
          <div className={classes.actions}>{again}</div>
        </div>
      ) : (
        <form
          className={classes.fields}
          onSubmit={submits(() => finishing.mutate("code"), !held && !finishing.isPending)}
        >
          {withPasskey && (
            <div className={classes.actions}>
              <Button
                autoFocus
                loading={finishing.isPending && finishing.variables === "passkey"}
                disabled={held}
                onClick={() => finishing.mutate("passkey")}
              >
                Use a passkey
              </Button>
              <span className="dim">or enter a code:</span>
            </div>
          )}
          <Code
            autoFocus={!withPasskey}
            value={code}
            error={remarkOn(finishing.error, "code")}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Refusal error={finishing.error} fields={["code"]} kept="You are not signed in." />
          <div className={classes.actions}>
            <Button
              type="submit"
              variant={withPasskey ? "default" : "filled"}
              loading={finishing.isPending && finishing.variables === "code"}
              disabled={held}
            >
              Sign in
            </Button>
            {again}
          </div>
          <p className={classes.after}>
            Lost all of these, and the recovery codes? The operator of Stowage can remove the second factor with{" "}
            <code>stowage reset-second-factor</code>.
          </p>
        </form>
      )}
    </NarrowPage>
  );
}
