import type { Quoted } from "@/api/runs/runs";
import { day } from "@/lib/wording";
import { Table } from "@/ui/table/Table";
import { Provenance } from "@/ui/values/Provenance";
import classes from "./Runs.module.css";
import { cents } from "./words";

/** Parts of a run's maximum cost, each with its source, and their sum. */
export function QuoteTable({ quote }: { quote: Pick<Quoted, "parts" | "total_usd"> }) {
  return (
    <Table
      rows={quote.parts}
      keyOf={({ name, words }) => `${name} ${words}`}
      columns={[
        {
          head: "Part",
          cell: ({ name, words }) => (
            <>
              {titled(name)}
              <div className="dim small">{words}</div>
            </>
          ),
        },
        { head: "At most", number: true, cell: (part) => <PartPrice part={part} /> },
      ]}
    >
      <tr className={classes.total}>
        <th scope="row">Together, rounded up to the cent</th>
        <td className="number">
          <strong>{cents(quote.total_usd)}</strong>
        </td>
      </tr>
    </Table>
  );
}

function PartPrice({ part: { name, usd, source, kind, as_of } }: { part: Quoted["parts"][number] }) {
  return (
    <Provenance
      text={usd > 0 && usd < 0.005 ? "under 1 cent" : cents(usd)}
      exact={`${usd} USD`}
      kind={kind}
      label={name}
    >
      <p className="small">
        {source}
        {as_of === null ? "" : `, ${day(as_of)}`}
      </p>
    </Provenance>
  );
}

/** Capitalize the first letter. */
function titled(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
