import { Button, Divider, Skeleton, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { acceptInvitation, type InvitationLook } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { atProvider, invitationOf } from "@/api/teams/account";
import { type Session, useAdopt, useSession } from "@/api/teams/session";
import { asRole, PASSWORD_ADVICE, ROLE_WORDS } from "@/lib/people";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Refusal, remarkOn, useHeld } from "@/ui/feedback/Refusal";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";
import { Password } from "@/ui/forms/Password";
import { submits } from "@/ui/forms/submits";

interface JoinPageProps {
  secret: string | null;
  onJoined: (session: Session) => void;
}

/** Page that accepts an invitation. */
export function JoinPage({ secret, onJoined }: JoinPageProps) {
  useDocumentTitle("Join a team · Stowage");
  const query = useQuery({ ...invitationOf(secret ?? ""), enabled: secret !== null });
  if (secret === null || (query.error instanceof ApiProblem && query.error.status < 500)) return <Over />;
  if (query.data !== undefined) {
    return (
      <NarrowPage id="join" title={`Join ${query.data.team}`}>
        <Invited secret={secret} look={query.data} onJoined={onJoined} />
      </NarrowPage>
    );
  }
  return (
    <NarrowPage id="join" title="Join a team">
      {query.error === null ? (
        <div role="status" aria-label="Reading the invitation">
          <Skeleton height={36} mb="sm" />
          <Skeleton height={36} />
        </div>
      ) : (
        <ProblemNotice error={query.error} kept="The invitation is kept." onRetry={() => void query.refetch()} />
      )}
    </NarrowPage>
  );
}

function Over() {
  return (
    <NarrowPage id="join" title="This invitation is over">
      <p className={classes.lead}>
        It was taken up or withdrawn, a newer one was sent, or its time is over. The person who invited you can send
        another, from Settings › Team.
      </p>
    </NarrowPage>
  );
}

interface InvitedProps {
  secret: string;
  look: InvitationLook;
  onJoined: (session: Session) => void;
}

function Invited({ secret, look, onJoined }: InvitedProps) {
  const session = useSession();
  const person = session?.person ?? null;
  const provider = session?.provider ?? null;
  const passwords = session?.passwords !== false;
  const adopt = useAdopt();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const mine = person !== null && person.email === look.email;
  const joining = useMutation({
    mutationFn: () => acceptInvitation({ body: mine ? { secret } : { secret, name: name.trim(), password } }),
    onSuccess: (now) => {
      adopt(now);
      onJoined(now);
    },
  });
  const going = useMutation({ mutationFn: () => atProvider("/", { invitation: secret }) });
  const held = useHeld(joining.error);
  const lead = (
    <p className={classes.lead}>
      <strong>{look.email}</strong> is invited to the team <strong>{look.team}</strong> as {asRole(look.role)}: may{" "}
      {ROLE_WORDS[look.role].may}.
    </p>
  );
  if (joining.error instanceof ApiProblem && joining.error.status === 404) {
    return <p className={classes.lead}>The invitation ended meanwhile. The person who invited you can send another.</p>;
  }
  if (mine) {
    return (
      <div className={classes.fields}>
        {lead}
        <Refusal error={joining.error} kept="The invitation is kept." />
        <div className={classes.actions}>
          <Button loading={joining.isPending} disabled={held} onClick={() => joining.mutate()}>
            Join as {person.name}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <>
      {lead}
      {person !== null && (
        <p className={classes.lead}>
          You are signed in as {person.name}. Joining signs you in here as {look.email} instead.
        </p>
      )}
      {passwords && (
        <form className={classes.fields} onSubmit={submits(() => joining.mutate(), !held)}>
          <input type="hidden" name="email" autoComplete="username" value={look.email} readOnly />
          <TextInput
            label="Your name"
            description="As the team sees it"
            name="name"
            autoComplete="name"
            autoFocus
            required
            maxLength={100}
            value={name}
            error={remarkOn(joining.error, "name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Password
            label="Password"
            description={`${PASSWORD_ADVICE} If ${look.email} has an account here already: its password.`}
            name="password"
            autoComplete="new-password"
            required
            value={password}
            error={remarkOn(joining.error, "password")}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Refusal error={joining.error} fields={["name", "password"]} kept="The invitation is kept." />
          <div className={classes.actions}>
            <Button type="submit" loading={joining.isPending} disabled={held}>
              Join
            </Button>
          </div>
        </form>
      )}
      {provider !== null && (
        <>
          {passwords && <Divider label="or" my={16} />}
          <Button
            variant={passwords ? "default" : "filled"}
            fullWidth
            loading={going.isPending}
            onClick={() => going.mutate()}
          >
            Join with {provider}
          </Button>
          <Refusal error={going.error} kept="The invitation is kept." />
        </>
      )}
    </>
  );
}
