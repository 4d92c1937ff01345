import { Button, Checkbox, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { makeToken, revokeToken, type TokenRow } from "@/api/generated";
import { type Scope, tokens as tokensQuery } from "@/api/teams/grants";
import { mayIn, type Session } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import form from "@/ui/forms/Form.module.css";
import { SecretOnce } from "@/ui/forms/SecretOnce";
import { submits } from "@/ui/forms/submits";
import classes from "./Account.module.css";
import { ALL_SCOPES, LIVES, pauseReason, SCOPES, stateOf } from "./tokenWords";

interface TokensPageProps {
  session: Session;
}

/** API tokens, with which programs authenticate. */
export function TokensPage({ session }: TokensPageProps) {
  useDocumentTitle("Tokens · Stowage");
  const query = useQuery(tokensQuery);
  const found = query.data?.tokens;
  return (
    <div className="page" style={{ maxWidth: 1080 }}>
      <section className="card" aria-labelledby="tokens">
        <h1 id="tokens" className="heading">
          Tokens
        </h1>
        <p className={form.lead}>
          A token lets a program act for you in {session.team?.name ?? "your team"}, as far as you say and until you end
          it. Keep one for each program.
        </p>
        <NewTokenForm session={session} />
      </section>
      <Card id="made-tokens" title="Made so far">
        <QueryState query={query} kept="The tokens are as they were." loading="Reading the tokens" heights={[40]} />
        {found?.length === 0 && (
          <p style={{ marginBottom: 0 }}>
            None yet. With one, the command line plans and saves for you:
            <code className={classes.command}>stowage login {window.location.origin}</code>
          </p>
        )}
        {found !== undefined && found.length > 0 && (
          <ul className={`bare ruled columned ${classes.list}`} aria-labelledby="made-tokens">
            {found.map((token) => (
              <One key={token.id} token={token} mine={session.person?.name ?? ""} />
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}

function NewTokenForm({ session }: TokensPageProps) {
  const client = useQueryClient();
  const scopesId = useId();
  const possible = ALL_SCOPES.filter((scope) => mayIn("local", session, SCOPES[scope].needs));
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["read"]);
  const [days, setDays] = useState(90);
  const making = useMutation({
    mutationFn: () => makeToken({ body: { name: name.trim(), scopes, days } }),
    onSuccess: async () => {
      setName("");
      await client.invalidateQueries(tokensQuery);
    },
  });
  const made = making.data;
  return (
    <form className={form.fields} onSubmit={submits(() => making.mutate(), scopes.length > 0)}>
      <div className={form.line}>
        <TextInput
          label="What it is for"
          placeholder="Nightly planning on build-3"
          required
          maxLength={100}
          autoComplete="off"
          style={{ flex: "1 1 280px" }}
          value={name}
          error={remarkOn(making.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NativeSelect
          label="Good for"
          style={{ flex: "0 1 160px" }}
          value={String(days)}
          data={LIVES.map(([value, label]) => ({ value: String(value), label }))}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        />
      </div>
      <Checkbox.Group
        label="What it may do"
        labelProps={{ id: scopesId }}
        value={scopes}
        error={scopes.length === 0 ? "A token may do at least one thing." : undefined}
        onChange={(next) => setScopes(next as Scope[])}
      >
        <Stack gap={8} pt={4}>
          {possible.map((scope) => (
            <Checkbox key={scope} value={scope} label={`${SCOPES[scope].name}: ${SCOPES[scope].may}`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Refusal error={making.error} fields={["name"]} kept="No token was made." />
      <div className={form.actions}>
        <Button type="submit" disabled={scopes.length === 0} loading={making.isPending}>
          Make a token
        </Button>
      </div>
      {made !== undefined && (
        <SecretOnce key={made.id} title={`Token “${made.name}”`} secret={made.secret} copy="Copy the token">
          It is shown this once. <code>stowage login {window.location.origin}</code> asks for it.
        </SecretOnce>
      )}
    </form>
  );
}

function One({ token, mine }: { token: TokenRow; mine: string }) {
  const [now_ms] = useState(() => Date.now());
  const ending = useChange(() => revokeToken({ path: { token_id: token.id } }), [tokensQuery.queryKey]);
  const state = stateOf(token, now_ms);
  return (
    <li data-over={state.over || undefined}>
      <div>
        <strong>{token.name}</strong> <code className="small">{token.hint}…</code>
        <div className="dim small">
          {token.scopes.map((scope) => SCOPES[scope].name.toLowerCase()).join(", ")}
          {token.person !== mine && ` · of ${token.person}`}
        </div>
        {!state.over && token.paused_since !== null && (
          <div className="small">{pauseReason(token, token.person === mine)}</div>
        )}
        <Refusal error={ending.error} kept="The token is as it was." />
      </div>
      <div className="dim small">
        {state.words}
        <br />
        {token.last_used_at === null ? "never used" : `last used ${moment(token.last_used_at)}`}
      </div>
      <div className="end no-print">
        {!state.over && (
          <Confirm
            variant="subtle"
            size="compact-xs"
            words="Revoke"
            label={`Revoke “${token.name}”`}
            go="Revoke"
            onGo={() => ending.mutateAsync()}
          >
            Programs that use “{token.name}” are refused from now on. A new token can be made.
          </Confirm>
        )}
      </div>
    </li>
  );
}
