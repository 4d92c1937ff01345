import type { Metric } from "@/api/measurements/measurements";
import { measuredWords, metricTitle } from "@/lib/measured";
import { Value } from "@/ui/values/Value";
import classes from "./Measurements.module.css";

interface MetricsTableProps {
  metrics: readonly Metric[];
  settings: Readonly<Record<string, string>>;
  notes: readonly string[];
}

/** Every figure in our unit and as the tool printed it; what the tool was told; what was assumed. */
export function MetricsTable({ metrics, settings, notes }: MetricsTableProps) {
  const told = Object.entries(settings);
  return (
    <div className={classes.metrics}>
      {/* A scrolling region must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section className="scroller" tabIndex={0} aria-label="Figures">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col" className="number">
                Value
              </th>
              <th scope="col">As the tool printed it</th>
            </tr>
          </thead>
          <tbody>
            {metrics.map(({ name, value, unit, what, told: printed }) => (
              <tr key={name}>
                <td>{metricTitle(what, name)}</td>
                <td className="number">
                  <Value text={measuredWords(name, value, unit)} exact={value} unit={unit} />
                </td>
                <td>
                  <code>{printed.text}</code> {printed.unit} <span className="dim small">{printed.name}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {notes.length > 0 && (
        <ul className={classes.plainList}>
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
    </div>
  );
}
