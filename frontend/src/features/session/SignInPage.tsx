import { Button, Divider, UnstyledButton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { requestReset, signIn } from "@/api/generated";
import { atProvider } from "@/api/teams/account";
import { useAdopt, useSession } from "@/api/teams/session";
import { Notice } from "@/ui/feedback/Notice";
import { Refusal, useHeld } from "@/ui/feedback/Refusal";
import { Email } from "@/ui/forms/Email";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";
import { Password } from "@/ui/forms/Password";
import { submits } from "@/ui/forms/submits";
import { SecondStep } from "./SecondStep";

interface SignInPageProps {
  /** Address to return to after the sign-in at the provider. */
  here: string;
  /** Reason for this page: a used link, or a refusal of the provider. */
  before?: ReactNode;
}

/** Sign-in page, shown in place of the requested page, whose address is kept. */
export function SignInPage({ here, before }: SignInPageProps) {
  useDocumentTitle("Sign in · Stowage");
  const [forgot, setForgot] = useState(false);
  const [email, setEmail] = useState("");
  const session = useSession();
  if (session?.second_factor_needed === true) return <SecondStep />;
  const passwords = session?.passwords ?? true;
  return (
    <NarrowPage id="sign-in" title={forgot ? "A new password" : "Sign in"}>
      {before}
      {forgot ? (
        <Forgot email={email} onEmail={setEmail} onBack={() => setForgot(false)} />
      ) : (
        <>
          {passwords ? (
            <ByPassword email={email} onEmail={setEmail} onForgot={() => setForgot(true)} />
          ) : (
            <p className={classes.lead}>Passwords are switched off on this service.</p>
          )}
          <Provider here={here} alone={!passwords} />
          <p className={classes.after}>
            No account yet? An owner of a team invites you. On the machine that Stowage runs on,{" "}
            <code>stowage link</code> prints a link that signs in once.
          </p>
        </>
      )}
    </NarrowPage>
  );
}

interface EmailProps {
  email: string;
  onEmail: (email: string) => void;
}

function ByPassword({ email, onEmail, onForgot }: EmailProps & { onForgot: () => void }) {
  const [password, setPassword] = useState("");
  const adopt = useAdopt();
  const signing = useMutation({
    mutationFn: () => signIn({ body: { email: email.trim(), password } }),
    onSuccess: adopt,
    // A wrong password must be typed again.
    onError: () => setPassword(""),
  });
  const held = useHeld(signing.error);
  return (
    <form className={classes.fields} onSubmit={submits(() => signing.mutate(), !held && !signing.isPending)}>
      <Email name="email" autoFocus required value={email} onChange={(event) => onEmail(event.currentTarget.value)} />
      <Password
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Refusal error={signing.error} kept="You are not signed in." refused="E-mail and password do not fit." />
      <div className={classes.actions}>
        <Button type="submit" loading={signing.isPending} disabled={held}>
          Sign in
        </Button>
        <UnstyledButton className="pick small" onClick={onForgot}>
          Forgot the password?
        </UnstyledButton>
      </div>
    </form>
  );
}

function Provider({ here, alone }: { here: string; alone: boolean }) {
  const provider = useSession()?.provider ?? null;
  const going = useMutation({ mutationFn: () => atProvider(here) });
  if (provider === null) return null;
  return (
    <>
      {!alone && <Divider label="or" my={16} />}
      <Button variant={alone ? "filled" : "default"} fullWidth loading={going.isPending} onClick={() => going.mutate()}>
        Sign in with {provider}
      </Button>
      <Refusal error={going.error} kept="You are not signed in." />
    </>
  );
}

function Forgot({ email, onEmail, onBack }: EmailProps & { onBack: () => void }) {
  const mail = useSession()?.mail ?? false;
  const asking = useMutation({ mutationFn: () => requestReset({ body: { email: email.trim() } }) });
  const held = useHeld(asking.error);
  const back = (
    <Button variant="subtle" onClick={onBack}>
      Back
    </Button>
  );
  if (!mail) {
    return (
      <div className={classes.fields}>
        <p className={classes.lead}>
          This service sends no mail. An owner of your team can make a link for a new password, in Settings › Team; on
          the machine that Stowage runs on, <code>stowage link --email</code> prints one that signs you in.
        </p>
        <div className={classes.actions}>{back}</div>
      </div>
    );
  }
  if (asking.isSuccess) {
    return (
      <div className={classes.fields}>
        <p className={classes.lead} role="status">
          If an account here has the address <strong>{email.trim()}</strong>, a link for a new password is on its way
          there. It works once.
        </p>
        <div className={classes.actions}>{back}</div>
      </div>
    );
  }
  return (
    <form className={classes.fields} onSubmit={submits(() => asking.mutate(), !held)}>
      <Email autoFocus required value={email} onChange={(event) => onEmail(event.currentTarget.value)} />
      <Refusal error={asking.error} kept="No link was sent." />
      <div className={classes.actions}>
        <Button type="submit" loading={asking.isPending} disabled={held}>
          Send a link
        </Button>
        {back}
      </div>
    </form>
  );
}

/** Notice about an invalid one-time link, and how to get another. */
export function SpentLink() {
  return (
    <div style={{ marginBottom: 16 }}>
      <Notice tone="warn" title="This link does not sign in any more.">
        <p style={{ margin: "4px 0 0" }}>
          It works once, for a day, and only the newest one. Another is printed by <code>stowage link</code>, on the
          machine that Stowage runs on.
        </p>
      </Notice>
    </div>
  );
}
