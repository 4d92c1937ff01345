import type { ReactNode } from "react";
import type { CostPartsAnswer } from "@/api/generated";
import { clusterName } from "@/features/plan/address/cluster";
import { partName } from "@/features/plan/configurations/costParts";
import { type Money, moneyOf } from "@/features/plan/configurations/money";
import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { duration, percent, threeDigits, usd, usdRange } from "@/lib/wording";
import { Termed } from "@/ui/Term";
import { Table } from "@/ui/table/Table";
import { PriceNote } from "@/ui/values/PriceTerms";
import { Value } from "@/ui/values/Value";
import { Levers } from "./Levers";
import type { Explained } from "./useExplanation";

interface MoneyDetailsProps {
  configuration: Configuration;
  objective: Objective;
  explained: Explained;
}

/** Cost parts of a run or a month, the total of each, and savings by a little more of each resource. */
export function MoneyDetails({ configuration, objective, explained }: MoneyDetailsProps) {
  return (
    <>
      <Parts configuration={configuration} money={moneyOf(objective)} />
      <dl className="ledger" style={{ margin: "12px 0 0" }}>
        {objective !== "month" && <Runs configuration={configuration} />}
        <AlwaysOn configuration={configuration} sought={objective === "month"} />
      </dl>
      {/* Faster runs do not reduce the monthly cost of an always-on cluster. */}
      {objective !== "month" && <Levers explained={explained} />}
    </>
  );
}

/** Cost parts; plans saved before monthly parts existed have none. */
function Parts({ configuration, money }: { configuration: Configuration; money: Money }): ReactNode {
  const parts = money.parts(configuration);
  if (parts === null) return null;
  const total = money.range(configuration).p50;
  const nodes: Partial<Record<keyof CostPartsAnswer, string | undefined>> = {
    instances: clusterName(configuration),
    head_nodes: configuration.head_node ? `1 × ${configuration.head_node.instance}` : undefined,
  };
  return (
    <Table
      rows={money.partNames.filter(([part]) => parts[part] > 0)}
      keyOf={([part]) => part}
      columns={[
        {
          head: `Part of ${money.of === "month" ? "a month, always on" : "one run"}`,
          cell: ([part, name]) => (
            <>
              {partName(part, name, [configuration])}
              {nodes[part] !== undefined && <span className="dim">, {nodes[part]}</span>}
            </>
          ),
        },
        {
          head: (
            <>
              Cost
              <PriceNote />
            </>
          ),
          value: ([part]) => [parts[part], usd, "USD"],
        },
        { head: "Share", number: true, cell: ([part]) => percent(parts[part] / total) },
      ]}
    />
  );
}

function Runs({ configuration }: { configuration: Configuration }) {
  const { cost_usd: cost, cost_per_month_usd: month } = configuration;
  const runs = month.p50 / cost.p50;
  return (
    <>
      <Entry name="One run">
        <strong>
          <Value text={usd(cost.p50)} exact={cost.p50} unit="USD" />
        </strong>{" "}
        <span className="dim">{usdRange(cost)}</span>
      </Entry>
      <Entry name={`A month of ${threeDigits(runs)} ${runs === 1 ? "run" : "runs"}`}>
        <Value text={usd(month.p50)} exact={month.p50} unit="USD" /> <span className="dim">{usdRange(month)}</span>
      </Entry>
      <Entry name="Billed for">
        <Value text={duration(configuration.billed_s)} exact={configuration.billed_s} unit="s" />
      </Entry>
    </>
  );
}

function AlwaysOn({ configuration, sought }: { configuration: Configuration; sought: boolean }): ReactNode {
  const always = configuration.cost_always_on_usd;
  if (always === null) return null;
  const amount = <Value text={usd(always)} exact={always} unit="USD" />;
  return <Entry name="Always-on monthly cost">{sought ? <strong>{amount}</strong> : amount}</Entry>;
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <Termed text={name} />
        {name !== "Billed for" && <PriceNote />}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
