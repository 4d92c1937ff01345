import { Stack } from "@mantine/core";
import type { Metric } from "@/api/measurements/measurements";
import { measuredWords, metricTitle } from "@/lib/measured";
import { Table } from "@/ui/table/Table";
import classes from "./Measurements.module.css";

interface MetricsTableProps {
  metrics: readonly Metric[];
  settings: Readonly<Record<string, string>>;
  notes: readonly string[];
}

/** Figures in our unit and as the tool printed them, settings of the tool, and assumptions. */
export function MetricsTable({ metrics, settings, notes }: MetricsTableProps) {
  const told = Object.entries(settings);
  return (
    <Stack gap={8}>
      <Table
        scrolls="Figures"
        rows={metrics}
        keyOf={({ name }) => name}
        columns={[
          { head: "Figure", cell: ({ what, name }) => metricTitle(what, name) },
          {
            head: "Value",
            value: ({ name, value, unit }) => [value, (exact) => measuredWords(name, exact, unit), unit],
          },
          {
            head: "As the tool printed it",
            cell: ({ told: printed }) => (
              <>
                <code>{printed.text}</code> {printed.unit} <span className="dim small">{printed.name}</span>
              </>
            ),
          },
        ]}
      />
      {notes.length > 0 && (
        <ul className="bare lines">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {told.length > 0 && (
        <p className={`small ${classes.settings}`}>
          <span className="dim">Told to the tool:</span>{" "}
          {told.map(([name, value]) => (
            <code key={name}>{`${name}=${value}`}</code>
          ))}
        </p>
      )}
    </Stack>
  );
}
