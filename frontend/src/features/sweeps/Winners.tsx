import type { SweepAnswer } from "@/api/generated";
import { isNarrow } from "@/charts/heatmap/HeatMap";
import { count, duration, usd } from "@/lib/wording";
import { Scroller } from "@/ui/table/Scroller";
import { Table } from "@/ui/table/Table";
import { moneyOfSweep } from "./money";
import classes from "./SweepPage.module.css";
import { spanOf, type Winner, winnersOf } from "./views";

/** Table of the winners with their number of cells, cost and time; also the legend of the grid. */
export function Winners({ sweep }: { sweep: SweepAnswer }) {
  const money = moneyOfSweep(sweep);
  const monthly = money.of === "month";
  const winners = winnersOf(sweep.cells);
  const none = sweep.cells.filter(({ best }) => best === null).length;
  // Cells too narrow for names show letters.
  const lettered = isNarrow(sweep.columns.values.length);
  if (sweep.cells.length === 0) return null;
  return (
    <section className="card" aria-labelledby="winners">
      <h2 id="winners" className="title">
        Who wins
      </h2>
      <Scroller aria-label="Table of the winners" className="wide">
        <Table
          aria-labelledby="winners"
          rows={winners}
          keyOf={({ name }) => name}
          columns={[
            {
              head: "Winner",
              rowHead: "strong",
              cell: ({ name, letter, colour }) => (
                <>
                  <span
                    className={classes.swatch}
                    aria-hidden="true"
                    style={{ background: colour.fill, color: colour.ink }}
                  >
                    {lettered && letter}
                  </span>
                  {name}
                </>
              ),
            },
            { head: "Cells", number: true, cell: ({ cells }) => count(cells.length) },
            { head: "Nodes", number: true, cell: span((best) => best.nodes, count) },
            { head: monthly ? "Monthly cost" : "Cost of a run", number: true, cell: span(money.at, usd) },
            { head: monthly ? "Time of a run" : "Time", number: true, cell: span((best) => best.time_s.p50, duration) },
          ]}
        >
          {none > 0 && (
            <tr>
              <th scope="row">nothing fits</th>
              <td className="number">{count(none)}</td>
              <td colSpan={3} />
            </tr>
          )}
        </Table>
      </Scroller>
    </section>
  );
}

/** Return a cell with the range of a figure over the cells that a configuration wins. */
function span(value: (best: Winner["cells"][number]["best"]) => number, write: (value: number) => string) {
  return ({ cells }: Winner) =>
    spanOf(
      cells.map(({ best }) => value(best)),
      write,
    );
}
