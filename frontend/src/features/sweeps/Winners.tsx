import type { SweepAnswer } from "@/api/generated";
import { isNarrow } from "@/charts/heatmap/HeatMap";
import { count, duration, usd } from "@/lib/wording";
import { moneyOfSweep } from "./money";
import classes from "./SweepPage.module.css";
import { spanOf, winnersOf } from "./views";

/** Table of the winners with their number of cells, cost and time; also the legend of the grid. */
export function Winners({ sweep }: { sweep: SweepAnswer }) {
  const money = moneyOfSweep(sweep);
  const winners = winnersOf(sweep.cells);
  const none = sweep.cells.filter(({ best }) => best === null).length;
  // Cells too narrow for names show letters.
  const lettered = isNarrow(sweep.columns.values.length);
  if (sweep.cells.length === 0) return null;
  return (
    <section className="card" aria-labelledby="winners">
      <h2 id="winners" className={classes.title}>
        Who wins
      </h2>
      {/* A scrolling region must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section className={classes.scroll} tabIndex={0} aria-label="Table of the winners">
        <table className="plain" aria-labelledby="winners">
          <thead>
            <tr>
              <th scope="col">Winner</th>
              <th scope="col" className="number">
                Cells
              </th>
              <th scope="col" className="number">
                Nodes
              </th>
              <th scope="col" className="number">
                {money.of === "month" ? "Monthly cost" : "Cost of a run"}
              </th>
              <th scope="col" className="number">
                {money.of === "month" ? "Time of a run" : "Time"}
              </th>
            </tr>
          </thead>
          <tbody>
            {winners.map(({ name, letter, fill, cells }) => (
              <tr key={name}>
                <th scope="row" style={{ fontWeight: 600, fontSize: "inherit", color: "inherit" }}>
                  <span className={classes.swatch} aria-hidden="true" style={{ background: fill }}>
                    {lettered && letter}
                  </span>
                  {name}
                </th>
                <td className="number">{count(cells.length)}</td>
                <td className="number">
                  {spanOf(
                    cells.map(({ best }) => best.nodes),
                    count,
                  )}
                </td>
                <td className="number">
                  {spanOf(
                    cells.map(({ best }) => money.at(best)),
                    usd,
                  )}
                </td>
                <td className="number">
                  {spanOf(
                    cells.map(({ best }) => best.time_s.p50),
                    duration,
                  )}
                </td>
              </tr>
            ))}
            {none > 0 && (
              <tr>
                <th scope="row">nothing fits</th>
                <td className="number">{count(none)}</td>
                <td />
                <td />
                <td />
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </section>
  );
}
