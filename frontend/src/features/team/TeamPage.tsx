import { Button, Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { renameTeam } from "@/api/generated";
import { team as teamQuery } from "@/api/teams/members";
import { session, useMay } from "@/api/teams/session";
import { asRole } from "@/lib/people";
import { counted } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import classes from "@/ui/forms/Form.module.css";
import { NameForm } from "@/ui/forms/NameForm";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { DangerZone } from "./DangerZone";
import { Invitations } from "./Invitations";
import { Load } from "./Load";
import { Members } from "./Members";
import { Quotas } from "./Quotas";

interface TeamPageProps {
  /** Called when the user has left the team, or the team was deleted. */
  onGone: () => void;
}

/** The team: members with roles, invitations, quotas and deletion. */
export function TeamPage({ onGone }: TeamPageProps) {
  useDocumentTitle("Team · Stowage");
  const query = useQuery(teamQuery);
  const mayWrite = useMay("team.write");
  const isRead = query.data !== undefined;
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    // The router scrolls to a section before the team is read.
    if (isRead && hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [isRead, hash]);
  if (query.data === undefined) {
    return (
      <section className="card page" style={{ maxWidth: 1080 }} aria-labelledby="team">
        <h1 id="team" className="heading">
          Team
        </h1>
        <QueryState
          query={query}
          kept="The team is as it was."
          loading="Reading the team"
          heights={[44, 44, 44]}
          gap="xs"
        />
      </section>
    );
  }
  const { name, role, members, mail } = query.data;
  return (
    <div className="page" style={{ maxWidth: 1080 }}>
      <section className="card" aria-labelledby="team">
        <Head name={name} may={mayWrite} />
        <p className="dim" style={{ margin: "4px 0 0" }}>
          {counted(members, "member")}. You are {asRole(role)}.
        </p>
      </section>
      <Members mayWrite={mayWrite} mail={mail} />
      {mayWrite && <Invitations mail={mail} />}
      <Load />
      <Quotas />
      <DangerZone name={name} mayDelete={mayWrite} onGone={onGone} />
    </div>
  );
}

function Head({ name, may }: { name: string; may: boolean }) {
  const client = useQueryClient();
  const mayAudit = useMay("audit.read");
  const [naming, setNaming] = useState(false);
  const renaming = useMutation({
    mutationFn: (to: string) => renameTeam({ body: { name: to } }),
    onSuccess: async (renamed) => {
      client.setQueryData(teamQuery.queryKey, renamed);
      await client.invalidateQueries(session);
    },
  });
  if (naming) {
    return (
      <>
        <h1 id="team" className="spoken">
          {name}
        </h1>
        <NameForm name={name} onRename={(to) => renaming.mutateAsync(to)} onEnd={() => setNaming(false)} />
      </>
    );
  }
  return (
    <Group justify="space-between" align="baseline" gap="4px 16px">
      <h1 id="team" className="wraps">
        {name}
      </h1>
      <div className={classes.actions}>
        {mayAudit && (
          <ButtonLink to="/settings/audit-log" variant="default" size="compact-sm">
            Audit log
          </ButtonLink>
        )}
        {may && (
          <Button variant="default" size="compact-sm" onClick={() => setNaming(true)}>
            Rename
          </Button>
        )}
      </div>
    </Group>
  );
}
