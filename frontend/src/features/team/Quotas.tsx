import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { limitQuota, type QuotaAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { quotas as quotasQuery } from "@/api/teams/members";
import { useMay } from "@/api/teams/session";
import { BINARY_SIZES, bytesIn } from "@/lib/sizes";
import { count, threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Table } from "@/ui/table/Table";
import classes from "./TeamPage.module.css";

/** Share of a limit from which its use is highlighted. */
const NEARLY_FULL = 0.8;

/** Quotas of the team with their use. */
export function Quotas() {
  const query = useQuery(quotasQuery);
  const mayWrite = useMay("team.write");
  const mayReadRuns = useMay("runs.read");
  return (
    <Card id="quotas" title="Quotas">
      <p className="dim small">
        Set by the operator of this service.
        {mayWrite && " You can set lower limits for your team, for example to keep costs down."}
      </p>
      <QueryState query={query} kept="Nothing was changed." loading="Reading the quotas" heights={[220]} />
      {query.data !== undefined && (
        <Table
          className={`plain ${classes.quotas}`}
          aria-labelledby="quotas"
          rows={query.data.quotas}
          keyOf={({ name }) => name}
          columns={[
            { head: "Quota", rowHead: true, cell: ({ words }) => words },
            { head: "Used", cell: (quota) => <Used quota={quota} /> },
            { head: "Limit", cell: (quota) => <Limit quota={quota} mayWrite={mayWrite} /> },
            { head: "Frees up", cell: ({ frees }) => <span className="dim small">{frees}</span> },
          ]}
        />
      )}
      <p className="dim small" style={{ margin: "8px 0 0" }}>
        —: counted for each second, person or link, so there is no total. Benchmark runs have no quota: the monthly
        limit of each AWS account bounds their cost.{" "}
        {mayReadRuns && <Link to="/settings/aws-accounts">AWS accounts</Link>}
      </p>
    </Card>
  );
}

function Used({ quota: { used, limit, unit } }: { quota: QuotaAnswer }) {
  if (used == null) return <span className="dim">—</span>;
  return (
    <>
      {amount(used, unit)}
      {used >= NEARLY_FULL * limit && <strong> {used >= limit ? "full" : "nearly full"}</strong>}
    </>
  );
}

function Limit({ quota, mayWrite }: { quota: QuotaAnswer; mayWrite: boolean }) {
  const [editing, setEditing] = useState(false);
  const [edited, setEdited] = useState(false);
  const { limit, granted, own, unit, words } = quota;
  const end = () => {
    setEditing(false);
    setEdited(true);
  };
  if (editing) return <LimitForm quota={quota} onEnd={end} />;
  return (
    <Group gap="4px 8px">
      <span>
        {amount(limit, unit)}
        {own != null && <span className="dim small"> set by your team, of {amount(granted, unit)}</span>}
      </span>
      {mayWrite && (
        <Button
          autoFocus={edited}
          variant="subtle"
          size="compact-xs"
          className="no-print"
          aria-label={`Change the limit of ${words}`}
          onClick={() => setEditing(true)}
        >
          Change
        </Button>
      )}
    </Group>
  );
}

/** Form of the team's own limit of a quota: Enter saves, Escape cancels. */
function LimitForm({
  quota: { name, words, unit, limit, granted, own },
  onEnd,
}: {
  quota: QuotaAnswer;
  onEnd: () => void;
}) {
  const client = useQueryClient();
  const [text, setText] = useState(amount(limit, unit));
  const setting = useMutation({
    mutationFn: (to: number | null) => limitQuota({ path: { quota: name }, body: { limit: to } }),
    onSuccess: (answer) => {
      client.setQueryData(quotasQuery.queryKey, answer);
      onEnd();
    },
  });
  const asked = limitIn(text, unit);
  const refusal = setting.error instanceof ApiProblem ? setting.error.fields[0]?.message : setting.error?.message;
  const accepted = `Enter ${unit === "bytes" ? "a size" : "a whole number"} up to ${amount(granted, unit)}`;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (asked !== null) setting.mutate(asked);
      }}
      onKeyDown={({ key }) => {
        if (key === "Escape") onEnd();
      }}
    >
      <div className={classes.limiting}>
        <TextInput
          aria-label={`Limit of ${words}`}
          size="xs"
          autoFocus
          autoComplete="off"
          value={text}
          error={asked === null || asked > granted ? accepted : refusal}
          onChange={(event) => setText(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button type="submit" size="compact-sm" mt={2} loading={setting.isPending}>
          Set limit
        </Button>
        {own != null && (
          <Button variant="default" size="compact-sm" mt={2} onClick={() => setting.mutate(null)}>
            Remove limit
          </Button>
        )}
        <Button variant="subtle" size="compact-sm" mt={2} onClick={onEnd}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Parse a limit: `5,000`, `5,000 plans`, or `20 GiB` for bytes; null if invalid. */
export function limitIn(text: string, unit: string): number | null {
  if (unit === "bytes") {
    const bytes = bytesIn(text);
    return bytes === null ? null : Math.round(bytes);
  }
  const [, digits = ""] = /^\s*(\d[\d,]*)(?:\s+[a-z ]+)?\s*$/i.exec(text) ?? [];
  const found = Number(digits.replaceAll(",", ""));
  return digits !== "" && Number.isSafeInteger(found) ? found : null;
}

/** Format an amount with its unit: `5,000 plans`, `20 GiB`, `50 a second`. */
export function amount(value: number, unit: string): string {
  if (unit !== "bytes") return `${count(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
  const [name, bytes] = BINARY_SIZES.find(([, size]) => value >= size) ?? ["bytes", 1];
  return `${threeDigits(value / bytes)} ${name}`;
}
