import { Button, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type CredentialsChange, changeAccount, changeCredentials, renameTeam } from "@/api/generated";
import { type Session, session as sessionQuery, useMay } from "@/api/teams/session";
import { PASSWORD_ADVICE } from "@/lib/people";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { Email } from "@/ui/forms/Email";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";
import { Password } from "@/ui/forms/Password";
import { useProof } from "@/ui/forms/Proof";
import { submits } from "@/ui/forms/submits";
import { putOff } from "./words";

interface WelcomePageProps {
  session: Session;
  /** Called when the form is complete. */
  onDone: () => void;
  /** Other ways to start: the example team, an invitation. */
  elsewhere: ReactNode;
}

interface Asked {
  team: string;
  name: string;
  email: string;
  password: string;
}

/** First start: names of the team and its owner, and the owner's sign-in method. */
export function WelcomePage({ session, onDone, elsewhere }: WelcomePageProps) {
  useDocumentTitle("Welcome · Stowage");
  const client = useQueryClient();
  const { person, team } = session;
  const mayName = useMay("team.write");
  const [asked, setAsked] = useState<Asked>({
    team: team?.name ?? "",
    name: person?.name ?? "",
    email: "",
    password: "",
  });
  const set = (field: keyof Asked) => (event: { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    setAsked((before) => ({ ...before, [field]: value }));
  };
  const naming = useMutation({ mutationFn: (name: string) => renameTeam({ body: { name } }) });
  const calling = useMutation({ mutationFn: (name: string) => changeAccount({ body: { name } }) });
  const { proven, form } = useProof();
  const keeping = useMutation({ mutationFn: (body: CredentialsChange) => proven(() => changeCredentials({ body })) });
  const lacksEmail = asked.password !== "" && asked.email.trim() === "";
  const begin = async () => {
    try {
      if (mayName && asked.team.trim() !== team?.name) await naming.mutateAsync(asked.team.trim());
      if (asked.name.trim() !== person?.name) await calling.mutateAsync(asked.name.trim());
      const changes = changesOf(asked);
      if (Object.keys(changes).length > 0) await keeping.mutateAsync(changes);
    } catch {
      // The form shows the error.
      return;
    }
    if (person !== null) putOff(person.person_id);
    await client.refetchQueries(sessionQuery);
    onDone();
  };
  return (
    <NarrowPage id="welcome" title="Welcome to Stowage">
      <p className={classes.lead}>
        Say how much data a job moves, by when and for how much; the answer is ranked configurations, and what each
        number rests on. Two names first:
      </p>
      <form className={classes.fields} onSubmit={submits(() => void begin(), !lacksEmail)}>
        {mayName && (
          <TextInput
            label="The team"
            required
            maxLength={100}
            autoComplete="organization"
            value={asked.team}
            error={remarkOn(naming.error, "name")}
            onChange={set("team")}
          />
        )}
        <TextInput
          label="Your name"
          required
          maxLength={100}
          autoComplete="name"
          value={asked.name}
          error={remarkOn(calling.error, "name")}
          onChange={set("name")}
        />
        <p className="dim" style={{ margin: "4px 0 0" }}>
          {session.passwords === false
            ? "To sign in without a link, connect your account at the provider on the page Account."
            : "With e-mail and password you can sign in without a link; both can wait."}
        </p>
        <Email
          label="E-mail (optional)"
          value={asked.email}
          error={remarkOn(keeping.error, "email") ?? (lacksEmail ? "A password needs an e-mail address." : undefined)}
          onChange={set("email")}
        />
        {session.passwords !== false && (
          <Password
            label="Password (optional)"
            description={PASSWORD_ADVICE}
            autoComplete="new-password"
            value={asked.password}
            error={remarkOn(keeping.error, "password")}
            onChange={set("password")}
          />
        )}
        <Refusal error={naming.error} fields={["name"]} kept="The team keeps its name." />
        <Refusal error={calling.error} fields={["name"]} kept="Your account is as it was." />
        <Refusal error={keeping.error} fields={["email", "password"]} kept="Your account is as it was." />
        <div className={classes.actions}>
          <Button type="submit" loading={naming.isPending || calling.isPending || keeping.isPending}>
            Begin
          </Button>
          <Button
            variant="subtle"
            onClick={() => {
              if (person !== null) putOff(person.person_id);
              onDone();
            }}
          >
            Later
          </Button>
        </div>
      </form>
      {form}
      <div className={classes.after}>{elsewhere}</div>
    </NarrowPage>
  );
}

function changesOf({ email, password }: Asked): CredentialsChange {
  return {
    ...(email.trim() === "" ? {} : { email: email.trim() }),
    ...(password === "" ? {} : { password }),
  };
}
