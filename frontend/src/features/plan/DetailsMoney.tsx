import type { ReactNode } from "react";
import { duration, percent, threeDigits, usd, usdRange } from "@/lib/wording";
import { Value } from "@/ui/Value";
import { COST_PARTS } from "./costParts";
import classes from "./Details.module.css";
import { Levers } from "./Levers";
import type { Configuration } from "./useConfigurations";
import type { Explained } from "./useExplanation";

interface MoneyDetailsProps {
  configuration: Configuration;
  explained: Explained;
}

/** The parts of the cost, one run, and a month; and what a little more of each thing would save. */
export function MoneyDetails({ configuration, explained }: MoneyDetailsProps) {
  const {
    cost_parts_usd: parts,
    cost_usd: cost,
    cost_per_month_usd: month,
    cost_always_on_usd: always,
  } = configuration;
  const paid = COST_PARTS.filter(([part]) => parts[part] > 0);
  const runs = month.p50 / cost.p50;
  return (
    <>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Part of one run</th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col" className="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {paid.map(([part, name]) => (
            <tr key={part}>
              <td>{name}</td>
              <td className="number">
                <Value text={usd(parts[part])} exact={parts[part]} unit="USD" />
              </td>
              <td className="number">{percent(parts[part] / cost.p50)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className={classes.figures}>
        <Entry name="One run">
          <strong>
            <Value text={usd(cost.p50)} exact={cost.p50} unit="USD" />
          </strong>{" "}
          <span className="dim">{usdRange(cost)}</span>
        </Entry>
        <Entry name={`A month of ${threeDigits(runs)} ${runs === 1 ? "run" : "runs"}`}>
          <Value text={usd(month.p50)} exact={month.p50} unit="USD" /> <span className="dim">{usdRange(month)}</span>
        </Entry>
        {always !== null && (
          <Entry name="Kept running all month">
            <Value text={usd(always)} exact={always} unit="USD" />
          </Entry>
        )}
        <Entry name="Billed for">
          <Value text={duration(configuration.billed_s)} exact={configuration.billed_s} unit="s" />
        </Entry>
      </dl>
      <Levers explained={explained} />
    </>
  );
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.entry}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
