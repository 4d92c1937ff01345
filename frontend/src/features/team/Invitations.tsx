import { Button, Group, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Invitation, type InvitationAnswer, invite, withdrawInvitation } from "@/api/generated";
import { invitations as invitationsQuery, ROLES, teamKey } from "@/api/teams/members";
import type { Role } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { ROLE_WORDS } from "@/lib/people";
import { day, moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { Email } from "@/ui/forms/Email";
import form from "@/ui/forms/Form.module.css";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import { submits } from "@/ui/forms/submits";
import { RowAction } from "@/ui/list/RowAction";
import classes from "./TeamPage.module.css";

/** Invitations of the team. Without mail the inviting owner passes on the link. */
export function Invitations({ mail }: { mail: boolean }) {
  const query = useQuery(invitationsQuery);
  const open = query.data?.invitations ?? [];
  return (
    <Card id="invitations" title="Invite a person">
      <p className="dim" style={{ margin: "0 0 12px" }}>
        {mail
          ? "They get a link by mail, which works once."
          : "This service sends no mail: you get a link that works once, and hand it over. It is shown only once."}
      </p>
      <InviteForm />
      <QueryState query={query} kept="The invitations are kept." />
      {open.length > 0 && (
        <>
          <h3 id="open-invitations" style={{ margin: "16px 0 8px", fontSize: "1.17em" }}>
            Not taken up yet
          </h3>
          <ul className={`bare ruled columned ${classes.list}`} aria-labelledby="open-invitations">
            {open.map((invitation) => (
              <Open key={invitation.email} invitation={invitation} mail={mail} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function InviteForm() {
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("planner");
  const inviting = useMutation({
    mutationFn: () => invite({ body: { email: email.trim(), role } }),
    onSuccess: async () => {
      setEmail("");
      await client.invalidateQueries({ queryKey: teamKey });
    },
  });
  const made = inviting.data;
  return (
    <form className={form.fields} onSubmit={submits(() => inviting.mutate())}>
      <div className={form.line}>
        <Email
          required
          autoComplete="off"
          style={{ flex: "1 1 240px" }}
          value={email}
          error={remarkOn(inviting.error, "email")}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <NativeSelect
          label="Role"
          style={{ flex: "1 1 240px" }}
          value={role}
          data={ROLES.map((value) => ({ value, label: `${ROLE_WORDS[value].name}: ${ROLE_WORDS[value].may}` }))}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
        <Button type="submit" loading={inviting.isPending}>
          Invite
        </Button>
      </div>
      <Refusal error={inviting.error} fields={["email"]} kept="No invitation was made." />
      {made !== undefined && <Made made={made} />}
    </form>
  );
}

/** Confirmation of the mail, or the link to pass on. */
function Made({ made }: { made: InvitationAnswer }) {
  return made.link === null ? (
    <p role="status" style={{ margin: 0 }}>
      An invitation was sent to {made.email}. It is good until {moment(made.expires_at)}.
    </p>
  ) : (
    <SecretOnce key={made.id} title={`Invitation for ${made.email}`} secret={made.link} copy="Copy the link">
      Works once, until {moment(made.expires_at)}. Copy it now: it is not shown again.
    </SecretOnce>
  );
}

function Open({ invitation, mail }: { invitation: Invitation; mail: boolean }) {
  const { id, email, role, invited_by, expires_at } = invitation;
  const renewing = useChange(() => invite({ body: { email, role } }), [teamKey]);
  const made = renewing.data;
  const withdrawing = useChange(() => withdrawInvitation({ path: { invitation_id: id } }), [teamKey]);
  return (
    <li>
      <div>
        <div className="strong wraps">{email}</div>
        <div className="dim small">
          by {invited_by} · until {day(expires_at)}
        </div>
      </div>
      <div>{ROLE_WORDS[role].name}</div>
      <Group gap={4} className="end no-print">
        <RowAction label={`New link for ${email}; the earlier one stops working`} change={renewing}>
          {mail ? "Send again" : "New link"}
        </RowAction>
        <RowAction label={`Withdraw the invitation of ${email}`} change={withdrawing}>
          Withdraw
        </RowAction>
      </Group>
      <div className={classes.full}>
        <Refusal error={withdrawing.error ?? renewing.error} kept="The invitation is kept." />
        {made !== undefined && <Made made={made} />}
      </div>
    </li>
  );
}
