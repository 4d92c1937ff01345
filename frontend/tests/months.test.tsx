// An answer that looks for a month speaks of one monthly cost and one count of nodes, wherever the page says them.

import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { AnswerHead } from "@/features/plan/AnswerHead";
import { comparisonWords, type Known } from "@/features/plan/ahead";
import { ChartCard, chartData } from "@/features/plan/ChartCard";
import { clusterKey, clusterName, nodesWords } from "@/features/plan/cluster";
import { comparedRows } from "@/features/plan/comparison";
import { MoneyDetails } from "@/features/plan/DetailsMoney";
import { differenceWords } from "@/features/plan/difference";
import { along } from "@/features/plan/frontier";
import { amountsWords, frontierMoney, moneyOf } from "@/features/plan/money";
import { RankedTable } from "@/features/plan/RankedTable";
import { rankedColumns, rankedCsv } from "@/features/plan/rankedColumns";
import type { Named } from "@/features/plan/useConfigurations";
import { useRanking } from "@/features/plan/useRanking";
import { usd } from "@/lib/wording";
import month from "./fixtures/month.json";
import { Surroundings } from "./render";

const answer = month as unknown as PlanAnswer;
const [winner, second] = answer.configurations as [RankedAnswer, RankedAnswer];
const month_usd = winner.cost_always_on_usd ?? Number.NaN;
const NODES = "11 × d3en.2xlarge and 1 × m6g.xlarge as NameNode";

function named(row: RankedAnswer): Known {
  return {
    asked: clusterKey(row),
    key: clusterKey(row),
    cluster: row,
    name: clusterName(row),
    document: {},
    differs: [],
    rank: row.rank,
    configuration: row,
    sentence: undefined,
    infeasible: undefined,
    loading: false,
    error: null,
    retry: () => undefined,
  };
}

/** The ranking, as an answer carries it. */
function Table() {
  const ranking = useRanking({ of: "plan", id: "7" }, {}, answer.objective);
  return (
    <RankedTable
      answer={answer}
      document={{}}
      ranking={ranking}
      chosen={undefined}
      view={{}}
      onView={() => undefined}
    />
  );
}

function showChart(of: PlanAnswer, pins: Named[] = []) {
  const chosen = of.configurations[0];
  render(
    <ChartCard
      answer={of}
      curves={of.curves}
      chosen={chosen && named(chosen)}
      pins={pins}
      today={undefined}
      scale="log"
      handles={undefined}
      onScale={() => undefined}
      onPick={() => undefined}
    />,
    { wrapper: Surroundings },
  );
}

describe("the cheapest month", () => {
  it("is the same figure of the same nodes in sentence, chart, caption and details", () => {
    render(<AnswerHead answer={answer} actions={null} onDetails={undefined} />, { wrapper: Surroundings });
    expect(screen.getByTestId("sentence").textContent).toContain(
      `${NODES.replaceAll("×", "x")} on their own disks cost ${usd(month_usd)} a month`,
    );
    expect(nodesWords(winner)).toBe(NODES);
    const chosen = {
      key: clusterKey(winner),
      name: clusterName(winner),
      time_s: winner.time_s.p50,
      cost_usd: month_usd,
    };
    const data = chartData(answer, answer.curves, chosen, []);
    expect(data.of).toBe("month");
    expect(data.frontier.at(-1)).toEqual(chosen);
    expect(data.ranked[0]).toMatchObject({ ...chosen, cost: { p10: month_usd, p50: month_usd, p90: month_usd } });
    showChart({ ...answer, limits: { ...answer.limits, budget_usd: 500 } });
    expect(screen.getByRole("heading", { name: "Monthly cost against time" })).toBeDefined();
    const caption = screen.getByText(/The bold line is the frontier/).textContent;
    expect(caption).toContain(`for ${usd(month_usd)} a month (${clusterName(winner)}).`);
    expect(caption).toContain("Costs include 1 × m6g.xlarge as NameNode.");
    expect(caption).toContain("The budget of $500 limits a run, and is not drawn.");
  });

  it("is taken apart into worker nodes, head node by name, and the rest", () => {
    const explained = { explanation: undefined, current: false, error: null, retry: () => undefined };
    render(<MoneyDetails configuration={winner} objective="month" explained={explained} />, { wrapper: Surroundings });
    const rows = screen.getAllByRole("row").map((row) => within(row).queryAllByRole("cell"));
    const parts = winner.cost_always_on_parts_usd;
    expect(rows.slice(1).map((cells) => cells.slice(0, 2).map((cell) => cell.textContent))).toEqual([
      ["Worker nodes, 11 × d3en.2xlarge", usd(parts?.instances ?? Number.NaN)],
      ["NameNode, 1 × m6g.xlarge", usd(parts?.head_nodes ?? Number.NaN)],
    ]);
    expect((parts?.instances ?? 0) + (parts?.head_nodes ?? 0)).toBeCloseTo(month_usd, 6);
    expect(screen.getByText("Always-on monthly cost").nextSibling?.textContent).toBe(usd(month_usd));
    expect(screen.queryByText("One run")).toBeNull();
    expect(screen.queryByRole("status", { name: "Computing what the next dollar buys" })).toBeNull();
  });

  it("stands at the end of its frontier", () => {
    const { place, cheaper } = along(answer.frontier, named(winner), frontierMoney(answer));
    expect(place).toBe(answer.frontier.length - 1);
    expect(cheaper).toBeUndefined();
  });

  it("heads the ranking and its file, with all nodes that are paid for", () => {
    render(<Table />, { wrapper: Surroundings });
    const heads = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
    expect(heads).toEqual(["#", "Configuration", "Monthly cost ↑", "Time of a run", "Limited by", "Deadline risk"]);
    const first = screen.getAllByRole("row")[1] as HTMLElement;
    expect(within(first).getAllByRole("cell")[1]?.textContent).toBe(usd(month_usd));
    expect(within(first).getByRole("rowheader").textContent).toContain(clusterName(winner));
    expect(screen.getByText(/The cheapest month of each type/).textContent).toContain(
      "Costs include 1 × m6g.xlarge as NameNode.",
    );
    const [head, line] = rankedCsv([winner], rankedColumns("month", {}, undefined, true)).split(/\r?\n/);
    const cells = Object.fromEntries((head ?? "").split(",").map((name, at) => [name, line?.split(",")[at]]));
    expect(cells).toMatchObject({ nodes: "11", month_always_on_usd: String(month_usd) });
    expect(cells["head_node"]).toBe("1 × m6g.xlarge as NameNode");
    expect(head).not.toContain("cost_p50_usd");
  });

  it("is what others are held against", () => {
    expect(differenceWords(winner, second, moneyOf("month"))).toMatch(/ monthly cost, /);
    expect(amountsWords(winner, "month")).toMatch(new RegExp(`^\\${usd(month_usd)} a month, .* a run$`));
    const rows = comparedRows([named(winner), named(second)], undefined, answer.limits, "month");
    expect(rows.map(({ name }) => name)).not.toContain("Cost");
    const cells = (name: string) => rows.find((row) => row.name === name)?.cells;
    expect(cells("Always-on monthly cost")?.[0]).toMatchObject({ text: usd(month_usd), best: true });
    expect(cells("NameNode")?.[0]?.text).toBe(usd(winner.cost_always_on_parts_usd?.head_nodes ?? Number.NaN));
    const words = comparisonWords(named(winner), named(second), answer).join(" ");
    expect(words).toContain(`${usd(second.cost_always_on_usd ?? Number.NaN)} a month against ${usd(month_usd)}`);
    expect(words).not.toContain("price of an hour");
  });

  it("was weighed by its runs in plans that are older than that", () => {
    const older = { ...answer, frontier: answer.frontier.map((point) => ({ ...point, cost_always_on_usd: null })) };
    showChart(older);
    expect(screen.getByRole("heading", { name: "Cost against time" })).toBeDefined();
    expect(chartData(older, [], null, []).ranked[0]?.cost_usd).toBe(winner.cost_usd.p50);
  });
});
