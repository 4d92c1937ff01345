import { Button, NativeSelect, Popover } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type LinkRow, makeLink, revokeLink } from "@/api/generated";
import { type LinkKind, linksOf } from "@/api/teams/grants";
import { counted, day, moment } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { Password } from "@/ui/forms/Password";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import { RowAction } from "@/ui/list/RowAction";

interface ShareLinksProps {
  kind: LinkKind;
  objectId: string;
}

const LIVES: [days: number, words: string][] = [
  [7, "A week"],
  [30, "30 days"],
  [90, "90 days"],
  [366, "A year"],
];

/** Creates and revokes links that show this one plan, sweep or report without an account. */
export function ShareLinks({ kind, objectId }: ShareLinksProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} trapFocus returnFocus withinPortal width={340} position="bottom-end">
      <Popover.Target>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(!open)}>
          Share
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Links kind={kind} objectId={objectId} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Links({ kind, objectId }: ShareLinksProps) {
  const client = useQueryClient();
  const options = linksOf(kind, objectId);
  const query = useQuery(options);
  const [days, setDays] = useState(30);
  const [password, setPassword] = useState("");
  const making = useMutation({
    mutationFn: () => makeLink({ body: { kind, object_id: objectId, days, password: password || null } }),
    onSuccess: () => {
      setPassword("");
      return client.invalidateQueries({ queryKey: options.queryKey });
    },
  });
  const remark = remarkOn(making.error, "password");
  const found = query.data?.links.filter((link) => isGood(link));
  return (
    <div className={form.fields}>
      <p style={{ margin: 0 }}>
        Anyone with the link sees this {kind}, and nothing else of the team. No account is needed.
      </p>
      {kind === "report" && (
        <Password
          size="xs"
          label="Password (optional)"
          description="Tell it another way than the link: 12 characters or more."
          autoComplete="new-password"
          value={password}
          error={remark}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      <div className={form.line}>
        <NativeSelect
          size="xs"
          label="Good for"
          value={String(days)}
          data={LIVES.map(([value, label]) => ({ value: String(value), label }))}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        />
        <Button size="xs" loading={making.isPending} onClick={() => making.mutate()}>
          Make a link
        </Button>
      </div>
      <Refusal error={making.error} fields={["password"]} kept="No link was made." />
      {making.data !== undefined && (
        <SecretOnce key={making.data.id} title="The link" secret={making.data.address} copy="Copy the link">
          It is shown this once.
        </SecretOnce>
      )}
      <QueryState query={query} kept="The links are as they were." loading="Reading the links" heights={[32]} />
      {found !== undefined && found.length > 0 && (
        <ul className="bare ruled rows" aria-label="Links that are good">
          {found.map((link) => (
            <One key={link.id} link={link} queryKey={options.queryKey} />
          ))}
        </ul>
      )}
    </div>
  );
}

function isGood({ revoked_at, expires_at }: LinkRow): boolean {
  return revoked_at === null && Date.parse(expires_at) > Date.now();
}

function One({ link, queryKey }: { link: LinkRow; queryKey: readonly unknown[] }) {
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: () => revokeLink({ path: { link_id: link.id } }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const { created_by, created_at, expires_at, views, last_viewed_at, locked } = link;
  return (
    <li>
      <div>
        <div>
          by {created_by}, {day(created_at)}
        </div>
        <div className="dim small">
          until {day(expires_at)}
          {locked && " · asks for its password"} · {views === 0 ? "not looked at yet" : counted(views, "view")}
          {last_viewed_at !== null && `, last ${moment(last_viewed_at)}`}
        </div>
        <Refusal error={ending.error} kept="The link is as it was." />
      </div>
      <RowAction label={`Revoke the link made by ${created_by} on ${moment(created_at)}`} change={ending}>
        Revoke
      </RowAction>
    </li>
  );
}
