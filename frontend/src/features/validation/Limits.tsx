import { counted, duration, threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Term } from "@/ui/Term";
import { Table } from "@/ui/table/Table";
import type { LimitAnswer } from "./answer";

/** Published runs beside their physical limits: the minimum time of any framework on that hardware. */
export function Limits({ limits }: { limits: readonly LimitAnswer[] }) {
  const known = limits.flatMap(({ limit_s, ...run }) =>
    limit_s === null || limit_s === 0 ? [] : [{ ...run, limit_s, times: run.actual_s / limit_s }],
  );
  const nearest = known.toSorted((a, b) => a.times - b.times);
  const [first] = nearest;
  if (first === undefined) return null;
  const faster = known.filter(({ times }) => times < 1).length;
  const unknown = limits.length - known.length;
  return (
    <Card id="limits" title="Physical limits">
      <p>
        {faster === 0 ? "None" : faster} of {counted(known.length, "published run")} is faster than the{" "}
        <Term of="physicalLimit">physical limit</Term> of its hardware; the nearest takes {threeDigits(first.times)}{" "}
        times its limit.
        {unknown > 0 && ` Of ${unknown} more the sources state neither disks nor network.`}
      </p>
      <details>
        <summary>All runs</summary>
        <Table
          rows={nearest}
          keyOf={({ id }) => id}
          columns={[
            { head: "Run", cell: ({ what }) => what, cellProps: ({ source }) => ({ title: source }) },
            { head: "Limit", value: ({ limit_s }) => [limit_s, duration, "s"] },
            { head: "Actual", value: ({ actual_s }) => [actual_s, duration, "s"] },
            { head: "Actual ÷ limit", number: true, cell: ({ times }) => threeDigits(times) },
          ]}
        />
      </details>
    </Card>
  );
}
