import { useQuery } from "@tanstack/react-query";
import type { QuotaAnswer } from "@/api/generated";
import { quotas as quotasQuery } from "@/api/teams/members";
import { BINARY_SIZES } from "@/lib/sizes";
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
  return (
    <Card id="quotas" title="Quotas">
      <p className="dim small">The operator of this service can change them.</p>
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
            { head: "Limit", cell: ({ limit, unit }) => amount(limit, unit) },
            { head: "Room again", cell: ({ frees }) => <span className="dim small">{frees}</span> },
          ]}
        />
      )}
    </Card>
  );
}

function Used({ quota: { used, limit, unit } }: { quota: QuotaAnswer }) {
  if (used == null) return <span className="dim">not counted</span>;
  return (
    <>
      {amount(used, unit)}
      {used >= NEARLY_FULL * limit && <strong> {used >= limit ? "full" : "nearly full"}</strong>}
    </>
  );
}

/** Format an amount with its unit: `5,000 plans`, `20 GiB`, `50 a second`. */
export function amount(value: number, unit: string): string {
  if (unit !== "bytes") return `${count(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
  const [name, bytes] = BINARY_SIZES.find(([, size]) => value >= size) ?? ["bytes", 1];
  return `${threeDigits(value / bytes)} ${name}`;
}
