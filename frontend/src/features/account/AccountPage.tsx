import { Button, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type CredentialsChange, changeAccount, changeCredentials, sendVerification } from "@/api/generated";
import { atProvider } from "@/api/teams/account";
import { type Session, session as sessionQuery, useMay } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { PASSWORD_ADVICE } from "@/lib/people";
import { Card } from "@/ui/Card";
import { Refusal, remarkOn, useHeld } from "@/ui/feedback/Refusal";
import { Email } from "@/ui/forms/Email";
import classes from "@/ui/forms/Form.module.css";
import { Password } from "@/ui/forms/Password";
import { useProof } from "@/ui/forms/Proof";
import { submits } from "@/ui/forms/submits";
import { SecondFactor } from "./SecondFactor";
import { Sessions } from "./Sessions";

interface AccountPageProps {
  session: Session & { person: NonNullable<Session["person"]> };
}

/** The user's account: name, e-mail, password and sessions. */
export function AccountPage({ session }: AccountPageProps) {
  useDocumentTitle("Account · Stowage");
  const mayHold = useMay("tokens.write");
  const { person, provider } = session;
  return (
    <div className="page" style={{ maxWidth: 1080 }}>
      <section className="card" aria-labelledby="account">
        <h1 id="account" className="heading">
          Account
        </h1>
        <OwnName name={person.name} />
        {mayHold && (
          <p style={{ marginBottom: 0 }}>
            <Link to="/settings/tokens">Tokens</Link> let programs act for you.
          </p>
        )}
      </section>
      <Card id="signing-in" title="Signing in">
        <Credentials
          key={`${person.email} ${person.has_password}`}
          person={person}
          passwords={session.passwords !== false}
        />
        {person.email !== null && !person.email_verified && <Unverified email={person.email} mail={session.mail} />}
        {provider !== null && <Connect provider={provider} />}
      </Card>
      <SecondFactor person={person} />
      <Sessions />
    </div>
  );
}

/** Change the account, then read the session again, which contains it. */
function useAccountChange<Input>(mutationFn: (input: Input) => Promise<unknown>) {
  return useChange(mutationFn, [sessionQuery.queryKey]);
}

function OwnName({ name }: { name: string }) {
  const [text, setText] = useState(name);
  const changing = useAccountChange((to: string) => changeAccount({ body: { name: to } }));
  const given = text.trim();
  return (
    <form className={classes.fields} onSubmit={submits(() => changing.mutate(given), given !== "" && given !== name)}>
      <div className={classes.line}>
        <TextInput
          label="Your name"
          autoComplete="name"
          maxLength={100}
          style={{ flex: "0 1 320px" }}
          value={text}
          error={given === "" ? "A name has at least one character." : remarkOn(changing.error, "name")}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={given === "" || given === name} loading={changing.isPending}>
          Rename
        </Button>
      </div>
      <Refusal error={changing.error} fields={["name"]} kept="Your name is as it was." />
    </form>
  );
}

const FIELDS = ["email", "password"];

interface CredentialsProps {
  person: AccountPageProps["session"]["person"];
  passwords: boolean;
}

function Credentials({ person, passwords }: CredentialsProps) {
  const [email, setEmail] = useState(person.email ?? "");
  const [password, setPassword] = useState("");
  const { proven, form } = useProof();
  const changing = useAccountChange((what: CredentialsChange) => proven(() => changeCredentials({ body: what })));
  const held = useHeld(changing.error);
  const changes: CredentialsChange = {
    ...(email.trim() === (person.email ?? "") || email.trim() === "" ? {} : { email: email.trim() }),
    ...(password === "" ? {} : { password }),
  };
  const nothing = Object.keys(changes).length === 0;
  return (
    <>
      <form
        className={`${classes.fields} ${classes.wide}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (nothing || held) return;
          changing.mutate(changes);
        }}
      >
        {(!passwords || !person.has_password) && (
          <p className="dim" style={{ margin: 0 }}>
            {passwords ? "You have no password" : "Passwords are switched off on this service"}: you sign in with a link
            or at a provider.
          </p>
        )}
        <Email
          value={email}
          error={remarkOn(changing.error, "email")}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {passwords && (
          <Password
            label="New password"
            description={PASSWORD_ADVICE}
            autoComplete="new-password"
            value={password}
            error={remarkOn(changing.error, "password")}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Refusal error={changing.error} fields={FIELDS} kept="E-mail and password are as they were." />
        <div className={classes.actions}>
          <Button type="submit" disabled={nothing || held} loading={changing.isPending}>
            Change
          </Button>
          {passwords && <span className="dim small">A new password signs you out everywhere else.</span>}
        </div>
      </form>
      {form}
    </>
  );
}

/** Notice for an unverified address, to which nothing is mailed. */
function Unverified({ email, mail }: { email: string; mail: boolean }) {
  const asking = useMutation({ mutationFn: () => sendVerification() });
  const held = useHeld(asking.error);
  return (
    <div className={classes.after}>
      <p style={{ margin: 0 }}>
        <strong>{email}</strong> is not verified: it receives no alerts and no reset links, and its account can join a
        team only by a mailed invitation.
        {!mail && " This service sends no mail; its operator can verify an address with stowage verify-email."}
      </p>
      {mail && !asking.isSuccess && (
        <div className={classes.actions}>
          <Button variant="default" loading={asking.isPending} disabled={held} onClick={() => asking.mutate()}>
            Send a link to verify it
          </Button>
        </div>
      )}
      {asking.isSuccess && <p role="status">A link is on its way. It works once, for a day.</p>}
      <Refusal error={asking.error} kept="No link was sent." />
    </div>
  );
}

function Connect({ provider }: { provider: string }) {
  const { proven, form } = useProof();
  const going = useMutation({ mutationFn: () => proven(() => atProvider("/settings/account")) });
  return (
    <div className={classes.after}>
      <div className={classes.actions}>
        <Button variant="default" loading={going.isPending} onClick={() => going.mutate()}>
          Connect {provider}
        </Button>
        <span>Then you can also sign in with {provider}.</span>
      </div>
      <Refusal error={going.error} kept="Nothing was connected." />
      {form}
    </div>
  );
}
