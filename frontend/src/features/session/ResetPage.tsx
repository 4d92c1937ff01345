import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { resetPassword } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { useAdopt } from "@/api/teams/session";
import { PASSWORD_ADVICE } from "@/lib/people";
import { Refusal, remarkOn, useHeld } from "@/ui/feedback/Refusal";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";
import { Password } from "@/ui/forms/Password";
import { submits } from "@/ui/forms/submits";

interface ResetPageProps {
  secret: string | null;
  onDone: () => void;
}

/** Page that sets a new password by a one-time link. */
export function ResetPage({ secret, onDone }: ResetPageProps) {
  useDocumentTitle("A new password · Stowage");
  const [password, setPassword] = useState("");
  const adopt = useAdopt();
  const setting = useMutation({
    mutationFn: (by: string) => resetPassword({ body: { secret: by, password } }),
    onSuccess: (session) => {
      adopt(session);
      onDone();
    },
  });
  const held = useHeld(setting.error);
  const over = secret === null || (setting.error instanceof ApiProblem && [401, 404].includes(setting.error.status));
  return (
    <NarrowPage id="reset" title={over ? "This link is over" : "A new password"}>
      {over ? (
        <p className={classes.lead}>
          A link for a new password works once, and only for a while. Ask for another where you sign in, or ask an owner
          of your team.
        </p>
      ) : (
        <form className={classes.fields} onSubmit={submits(() => setting.mutate(secret), !held)}>
          <Password
            label="New password"
            description={PASSWORD_ADVICE}
            name="password"
            autoComplete="new-password"
            autoFocus
            required
            value={password}
            error={remarkOn(setting.error, "password")}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <p className="dim" style={{ margin: 0 }}>
            You are signed out everywhere else, and signed in here.
          </p>
          <Refusal error={setting.error} fields={["password"]} kept="The old password is kept." />
          <div className={classes.actions}>
            <Button type="submit" loading={setting.isPending} disabled={held}>
              Set the password
            </Button>
          </div>
        </form>
      )}
    </NarrowPage>
  );
}
