import { Group, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changeRole, type MemberAnswer, removeMember, resetForMember, type SentLink } from "@/api/generated";
import { members as membersQuery, ROLES, teamKey } from "@/api/teams/members";
import { type Role, session } from "@/api/teams/session";
import { asRole, ROLE_WORDS } from "@/lib/people";
import { day, moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import { useProof } from "@/ui/forms/Proof";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import classes from "./TeamPage.module.css";

/** Members of the team with their roles. */
export function Members({ mayWrite, mail }: { mayWrite: boolean; mail: boolean }) {
  const query = useQuery(membersQuery);
  return (
    <Card id="members" title="Members">
      <QueryState
        query={query}
        kept="The members are as they were."
        loading="Reading the members"
        heights={[44, 44]}
        gap="xs"
      />
      <ul className={`bare ruled columned ${classes.list}`} aria-labelledby="members">
        {query.data?.members.map((member) => (
          <Member key={member.person_id} member={member} mayWrite={mayWrite} mail={mail} />
        ))}
      </ul>
    </Card>
  );
}

interface MemberProps {
  member: MemberAnswer;
  mayWrite: boolean;
  mail: boolean;
}

function Member({ member, mayWrite, mail }: MemberProps) {
  const client = useQueryClient();
  const { person_id, name, email, role, joined_at, is_me } = member;
  const again = async () => {
    await client.invalidateQueries({ queryKey: teamKey });
    // The user's own permissions may have changed.
    if (is_me) await client.refetchQueries(session);
  };
  const giving = useMutation({
    mutationFn: (to: Role) => changeRole({ path: { person_id }, body: { role: to } }),
    onSuccess: again,
  });
  const removing = useMutation({ mutationFn: () => removeMember({ path: { person_id } }), onSuccess: again });
  const { proven, form } = useProof();
  const resetting = useMutation({ mutationFn: () => proven(() => resetForMember({ path: { person_id } })) });
  return (
    <li>
      <div>
        <div className="strong wraps">
          {name}
          {is_me && <span className="dim"> (you)</span>}
        </div>
        <div className="dim small wraps">
          {email === null ? "no e-mail" : email} · since {day(joined_at)}
        </div>
      </div>
      {mayWrite ? (
        <NativeSelect
          size="xs"
          aria-label={`Role of ${name}`}
          value={giving.isPending ? giving.variables : role}
          disabled={giving.isPending}
          data={ROLES.map((value) => ({ value, label: ROLE_WORDS[value].name }))}
          onChange={(event) => giving.mutate(event.currentTarget.value as Role)}
        />
      ) : (
        <div>
          {ROLE_WORDS[role].name} <span className="dim small">may {ROLE_WORDS[role].may}</span>
        </div>
      )}
      {mayWrite && !is_me && (
        <Group gap={4} className="end no-print">
          {email !== null && (
            <Confirm
              variant="subtle"
              size="compact-xs"
              words="New password"
              label={`Make a link for a new password of ${name}`}
              go={mail ? "Send the link" : "Make the link"}
              onGo={() => resetting.mutateAsync()}
            >
              {name} can set a new password by a link that works once
              {mail ? `; it goes to ${email}.` : ". You hand it over yourself."}
            </Confirm>
          )}
          <Confirm
            variant="subtle"
            size="compact-xs"
            words="Remove"
            label={`Remove ${name} from the team`}
            go="Remove"
            onGo={() => removing.mutateAsync()}
          >
            {name} sees nothing of this team any more, and their tokens of it end. What they saved stays.
          </Confirm>
        </Group>
      )}
      <div className={classes.full}>
        <Refusal error={giving.error ?? removing.error ?? resetting.error} kept="Nothing was changed." />
        {form}
        {resetting.data !== undefined && (
          <Sent key={resetting.data.expires_at} sent={resetting.data} to={email ?? name} />
        )}
      </div>
      <span className="spoken" role="status">
        {giving.data === undefined ? "" : `${name} is ${asRole(giving.data.role)} now.`}
      </span>
    </li>
  );
}

/** A link that was mailed, or must be passed on. */
function Sent({ sent, to }: { sent: SentLink; to: string }) {
  if (sent.link === null)
    return (
      <p role="status">
        A link was sent to {to}. It is good until {moment(sent.expires_at)}.
      </p>
    );
  return (
    <SecretOnce title="Link for a new password" secret={sent.link} copy="Copy the link">
      For {to}, until {moment(sent.expires_at)}. It is shown this once.
    </SecretOnce>
  );
}
