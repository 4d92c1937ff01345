import type { FinishedJob } from "@/api/measurements/calibrations";
import { Chart } from "@/charts/Chart";
import { filenameFrom } from "@/lib/csv";
import { counted, duration, threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Disclosure } from "@/ui/Disclosure";
import { Table } from "@/ui/table/Table";

/** Predicted beside measured phases; phases of a log that the model does not have are listed. */
export function MeasuredPhases({ job }: { job: FinishedJob }) {
  const { compared, own_phases } = job;
  const names = new Set(compared.map(({ name }) => name));
  const others = own_phases.filter(({ name }) => !names.has(name));
  if (own_phases.length === 0) return null;
  return (
    <>
      {compared.length > 0 && <Compared job={job} />}
      {others.length > 0 && (
        <Card id="own-phases" title={compared.length > 0 ? "Other measured phases" : "Measured phases"}>
          <p className="lead">
            {compared.length > 0 ? "These phases have" : "The phases of this job have"} no counterpart in the prediction
            {compared.length > 0 ? "" : ": only the whole job is compared"}.
          </p>
          <Disclosure summary={counted(others.length, "phase")}>
            {() => (
              <Table
                aria-labelledby="own-phases"
                rows={others}
                keyOf={({ name }) => name}
                columns={[
                  { head: "Phase", rowHead: "strong", cell: ({ name }) => name },
                  { head: "Measured", number: true, cell: ({ measured_s }) => duration(measured_s) },
                ]}
              />
            )}
          </Disclosure>
        </Card>
      )}
    </>
  );
}

function Compared({ job }: { job: FinishedJob }) {
  const { compared, name } = job;
  const longest_s = Math.max(...compared.flatMap(({ predicted_s, measured_s }) => [predicted_s, measured_s]));
  const bar = (key: string, label: string, seconds: number) => ({
    key,
    label,
    text: duration(seconds),
    from: 0,
    to: longest_s > 0 ? seconds / longest_s : 0,
  });
  const groups = compared.map((phase) => ({
    key: phase.name,
    title: phase.name,
    text: `${threeDigits(phase.measured_s / phase.predicted_s)} ×`,
    bars: [bar("predicted", "Predicted", phase.predicted_s), bar("measured", "Measured", phase.measured_s)],
  }));
  return (
    <Chart
      title="Predicted and measured phases"
      filename={filenameFrom(`${name} phases`)}
      caption="All bars have one scale; the figure beside a phase is its measured time over the predicted."
      data={() => ({
        columns: [
          { head: "Phase", copied: "phase" },
          { head: "Predicted", copied: "predicted_s", number: true },
          { head: "Measured", copied: "measured_s", number: true },
        ],
        rows: compared.map((phase) => ({
          key: phase.name,
          cells: [
            phase.name,
            { shown: duration(phase.predicted_s), copied: phase.predicted_s },
            { shown: duration(phase.measured_s), copied: phase.measured_s },
          ],
        })),
      })}
      label={compared
        .map(
          ({ name: phase, predicted_s, measured_s }) =>
            `${phase}: predicted ${duration(predicted_s)}, measured ${duration(measured_s)}`,
        )
        .join("; ")}
      figure={{ kind: "bars", groups }}
    />
  );
}
