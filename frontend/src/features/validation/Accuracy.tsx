import { Group, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { frameworkName } from "@/lib/frameworks";
import { counted } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Term } from "@/ui/Term";
import { Value } from "@/ui/values/Value";
import type { AccuracyAnswer } from "./answer";
import { sizeWords } from "./words";

const KNOWN: Record<AccuracyAnswer["known"], string> = {
  "left out": "Each job is predicted without jobs from the same source.",
  fitted: "The profile is fitted to these jobs: errors on other clusters may be larger.",
  predicted: "The profile is not fitted to these jobs.",
  laboratory: "They ran in a laboratory on one machine and are predicted from its runs on at most 4 nodes.",
};

/** Prediction errors by framework, kind of job and cluster size, for jobs similar to the user's. */
export function Accuracy({ accuracies }: { accuracies: readonly AccuracyAnswer[] }) {
  const frameworks = [...new Set(accuracies.map(({ framework }) => framework))];
  const [framework, setFramework] = useState(frameworks[0] ?? "");
  const kinds = [...new Set(accuracies.filter((one) => one.framework === framework).map(({ kind }) => kind))];
  const [chosen, setKind] = useState("");
  const kind = kinds.includes(chosen) ? chosen : (kinds[0] ?? "");
  const rows = accuracies.filter((one) => one.framework === framework && one.kind === kind);
  if (rows.length === 0) return null;
  return (
    <Card id="accuracy" title="How far off is it for a job like mine?">
      <Group align="stretch" gap={12} my={8}>
        <NativeSelect
          label="Framework"
          size="xs"
          value={framework}
          data={frameworks.map((name) => ({ value: name, label: frameworkName(name) }))}
          onChange={(event) => setFramework(event.currentTarget.value)}
        />
        <NativeSelect
          label="Job"
          size="xs"
          value={kind}
          data={kinds}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
      </Group>
      <ul className="bullets">
        {rows.map((row, at) => (
          <li key={`${row.known} ${row.size}`}>
            <strong>{sizeOf(row)}</strong>: half of{" "}
            {counted(row.jobs, row.known === "laboratory" ? "run" : "published job")} are predicted within{" "}
            <Value text={sizeWords(row.median_abs_error_pct)} exact={row.median_abs_error_pct} unit="%" />, all within{" "}
            <Value text={sizeWords(row.largest_abs_error_pct)} exact={row.largest_abs_error_pct} unit="%" />; the{" "}
            {at === 0 ? <Term of="range">p10–p90 range</Term> : "p10–p90 range"} holds {row.held} of {row.jobs}.{" "}
            {KNOWN[row.known]}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function sizeOf({ fewest_nodes: fewest, most_nodes: most }: AccuracyAnswer): string {
  return fewest === most ? counted(most, "node") : `${fewest} to ${counted(most, "node")}`;
}
