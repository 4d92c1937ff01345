import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type QuotaAnswer, quotas as quotasQuery } from "@/api/teams/members";
import { BINARY_SIZES } from "@/lib/sizes";
import { count, threeDigits } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import classes from "./TeamPage.module.css";

/** Share of a limit from which its use is highlighted. */
const NEARLY_FULL = 0.8;

/** Quotas of the team with their use. */
export function Quotas() {
  const query = useQuery(quotasQuery);
  return (
    <section className="card" aria-labelledby="quotas">
      <h2 id="quotas" className="title">
        Quotas
      </h2>
      <p className="dim small">The operator of this service can change them.</p>
      {query.error !== null && (
        <ProblemNotice error={query.error} kept="Nothing was changed." onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Skeleton height={220} role="status" aria-label="Reading the quotas" />}
      {query.data !== undefined && (
        <table className={`plain ${classes.quotas}`} aria-labelledby="quotas">
          <thead>
            <tr>
              <th scope="col">Quota</th>
              <th scope="col">Used</th>
              <th scope="col">Limit</th>
              <th scope="col">Room again</th>
            </tr>
          </thead>
          <tbody>
            {query.data.quotas.map((quota) => (
              <Row key={quota.name} quota={quota} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ quota }: { quota: QuotaAnswer }) {
  const { words, unit, limit, used, frees } = quota;
  const nearly = used != null && used >= NEARLY_FULL * limit;
  return (
    <tr>
      <th scope="row">{words}</th>
      <td>
        {used == null ? <span className="dim">not counted</span> : amount(used, unit)}
        {nearly && <strong> {used >= limit ? "full" : "nearly full"}</strong>}
      </td>
      <td>{amount(limit, unit)}</td>
      <td className="dim small">{frees}</td>
    </tr>
  );
}

/** Format an amount with its unit: `5,000 plans`, `20 GiB`, `50 a second`. */
export function amount(value: number, unit: string): string {
  if (unit !== "bytes") return `${count(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
  const [name, bytes] = BINARY_SIZES.find(([, size]) => value >= size) ?? ["bytes", 1];
  return `${threeDigits(value / bytes)} ${name}`;
}
