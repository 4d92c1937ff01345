import type { Quoted } from "@/api/runs/runs";
import { day } from "@/lib/wording";
import { Provenance } from "@/ui/values/Provenance";
import classes from "./Runs.module.css";
import { cents } from "./words";

/** The parts of an upper bound, each with its source; together they are the sum. */
export function QuoteTable({ quote }: { quote: Pick<Quoted, "parts" | "total_usd"> }) {
  return (
    <table className="plain">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col" className="number">
            At most
          </th>
        </tr>
      </thead>
      <tbody>
        {quote.parts.map(({ name, usd, words, source, kind, as_of }) => (
          <tr key={`${name} ${words}`}>
            <td>
              {titled(name)}
              <div className="dim small">{words}</div>
            </td>
            <td className="number">
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
            </td>
          </tr>
        ))}
        <tr className={classes.total}>
          <th scope="row">Together, rounded up to the cent</th>
          <td className="number">
            <strong>{cents(quote.total_usd)}</strong>
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** Begin with a capital letter. */
function titled(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
