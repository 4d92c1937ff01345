import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { deleteTeam, leaveTeam } from "@/api/generated";
import { Disclosure } from "@/ui/Disclosure";
import { Refusal } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import form from "@/ui/forms/Form.module.css";
import { submits } from "@/ui/forms/submits";
import classes from "./TeamPage.module.css";

interface DangerZoneProps {
  name: string;
  mayDelete: boolean;
  onGone: () => void;
}

/** Irreversible actions: leave the team, delete it. */
export function DangerZone({ name, mayDelete, onGone }: DangerZoneProps) {
  const leaving = useMutation({ mutationFn: () => leaveTeam(), onSuccess: onGone });
  return (
    <section className={`card ${classes.danger}`} aria-labelledby="end">
      <h2 id="end" className="title">
        Leave{mayDelete && ", or delete the team"}
      </h2>
      <div className={form.fields}>
        <div className={form.actions}>
          <Confirm words="Leave the team" go="Leave" onGo={() => leaving.mutateAsync()}>
            You see nothing of {name} any more, and your tokens of it end. An owner can invite you again.
          </Confirm>
        </div>
        <Refusal error={leaving.error} kept="You are still in the team." />
        {mayDelete && <Disclosure summary="Delete the team">{() => <Delete name={name} onGone={onGone} />}</Disclosure>}
      </div>
    </section>
  );
}

function Delete({ name, onGone }: { name: string; onGone: () => void }) {
  const [typed, setTyped] = useState("");
  const deleting = useMutation({ mutationFn: () => deleteTeam({ body: { name: typed.trim() } }), onSuccess: onGone });
  return (
    <form className={form.fields} onSubmit={submits(() => deleting.mutate(), typed.trim() === name)}>
      <p style={{ margin: "4px 0 0" }}>
        Plans, sweeps, members, tokens, links and the audit log go with it, for good. Members who are in no other team
        lose their account.
      </p>
      <div className={form.line}>
        <TextInput
          label={`Type ${name} to go on`}
          autoComplete="off"
          style={{ flex: "0 1 320px" }}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" color="red" disabled={typed.trim() !== name} loading={deleting.isPending}>
          Delete the team
        </Button>
      </div>
      <Refusal error={deleting.error} kept="The team is as it was." />
    </form>
  );
}
