// An answer that looks for a month speaks of one monthly cost and one count of nodes, wherever the page says them.

import { render, screen, within } from "@testing-library/react";
import month from "@tests/fixtures/month.json";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { describe, expect, it } from "vitest";
import type { CellBestAnswer, PlanAnswer, PlanSummaryAnswer, RankedAnswer, SweepAnswer } from "@/api/generated";
import { clusterKey, clusterName, nodesWords } from "@/features/plan/address/cluster";
import { AnswerHead } from "@/features/plan/answer/AnswerHead";
import { comparedRows } from "@/features/plan/comparison/comparison";
import { comparisonWords, type Known } from "@/features/plan/configurations/ahead";
import { differenceWords } from "@/features/plan/configurations/difference";
import { amountsWords, frontierMoney, moneyOf } from "@/features/plan/configurations/money";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { onEmptyWords } from "@/features/plan/details/credit";
import { MoneyDetails } from "@/features/plan/details/DetailsMoney";
import { ChartCard, chartData } from "@/features/plan/frontier/ChartCard";
import { along } from "@/features/plan/frontier/frontier";
import { RankedTable } from "@/features/plan/ranking/RankedTable";
import { rankedColumns, rankedCsv } from "@/features/plan/ranking/rankedColumns";
import { useRanking } from "@/features/plan/ranking/useRanking";
import { PlansPage } from "@/features/plans/PlansPage";
import { sweepCsv, sweepTable } from "@/features/sweeps/table";
import { bestFigures, captionOf, heatCells } from "@/features/sweeps/views";
import { Winners } from "@/features/sweeps/Winners";
import { duration, usd } from "@/lib/wording";

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
      document={{}}
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
    const point = {
      key: clusterKey(winner),
      name: clusterName(winner),
      time_s: winner.time_s.p50,
      cost_usd: month_usd,
    };
    const cost = { p10: month_usd, p50: month_usd, p90: month_usd };
    const data = chartData(answer, answer.curves, { ...point, time: winner.time_s, cost }, []);
    expect(data.of).toBe("month");
    expect(data.frontier.at(-1)).toEqual(point);
    expect(data.ranked[0]).toMatchObject(point);
    showChart({ ...answer, limits: { ...answer.limits, budget_usd: 500 } });
    expect(screen.getByRole("heading", { name: "Monthly cost against time" })).toBeDefined();
    const caption = screen.getByText(/The bold line is the Pareto frontier/).textContent;
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
    expect(screen.getByText("Always-on monthly cost").closest("dt")?.nextSibling?.textContent).toBe(usd(month_usd));
    expect(screen.queryByText("One run")).toBeNull();
    expect(screen.queryByRole("status", { name: "Computing cost sensitivity" })).toBeNull();
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

  it("is shown in the list of saved plans, and by what a job would be on empty buckets", async () => {
    const listed: PlanSummaryAnswer = {
      price_terms: null,
      id: "00000000-0000-0000-0000-000000000001",
      name: "Archive",
      created_at: "2026-11-23T09:00:00Z",
      catalog_version: "aws-2026-07-06",
      best_instance: winner.instance,
      best_nodes: winner.nodes,
      best_time_s: winner.time_s.p50,
      best_cost_usd: winner.cost_usd.p50,
      best_month_usd: month_usd,
      changes: [],
      saving: null,
      saving_mark: { state: "open", reason: "", person: null, at: null },
    };
    const saving = { sentence: "Saves $1,120 a month (−38%) against 178 × i2.8xlarge." };
    const ofRun = { ...listed, id: "00000000-0000-0000-0000-000000000002", best_month_usd: null, saving };
    const asked = stubService();
    const page = <PlansPage search={{}} onSearch={() => undefined} linkTo={() => null} again={() => null} start="" />;
    render(page, { wrapper: Surroundings });
    await until(() => asked.length === 1);
    expect(asked[0]?.path).toBe("/api/v1/plans");
    asked[0]?.answer(200, { plans: [listed, ofRun], next_cursor: null });
    const [first, second] = await screen.findAllByRole("listitem");
    expect(first?.textContent).toContain(`${duration(winner.time_s.p50)} a run · ${usd(month_usd)} a month`);
    expect(second?.textContent).toContain(`${duration(winner.time_s.p50)} · ${usd(winner.cost_usd.p50)}`);
    expect(first?.textContent).not.toContain("Saves");
    expect(second?.textContent).toContain(saving.sentence);
    const bursting = { on_empty: { time_s: 7_200, cost_usd: 6.5 } };
    expect(onEmptyWords(bursting, "month")).toBe("2 h a run");
    expect(onEmptyWords(bursting, "cost")).toBe("2 h for $6.50");
  });

  it("is what a sweep for it shows in cells, caption, table and file", () => {
    const best: CellBestAnswer = {
      instance: winner.instance,
      nodes: winner.nodes,
      storage: winner.storage,
      storage_words: winner.storage_words,
      time_s: winner.time_s,
      cost_usd: winner.cost_usd,
      cost_always_on_usd: month_usd,
      bottleneck: "network in",
      meets_deadline: null,
      runner_up: null,
    };
    const dearer = { ...best, cost_always_on_usd: 2 * month_usd };
    const cell = (column: number, of: CellBestAnswer) => ({ column, row: 0, candidates: 1, sentence: "", best: of });
    const sweep = {
      base: { objective: "month" },
      columns: { quantity: "data", values: ["1 TB", "2 TB"] },
      rows: { quantity: "deadline", values: ["1 h"] },
      cells: [cell(0, best), cell(1, dearer)],
      job: { total: 2 },
    } as unknown as SweepAnswer;
    const [cheap, dear] = [usd(month_usd), usd(2 * month_usd)];
    expect(captionOf(sweep, "cost")).toContain(`From ${cheap} to ${dear} a month`);
    expect(captionOf(sweep, "winner")).toContain("is cheapest to keep wherever something fits");
    expect(sweep.cells.map((each) => heatCells(sweep, "cost")(each).text)).toEqual([cheap, dear]);
    expect(bestFigures(best, sweep)).toMatchObject({ costName: "Always-on monthly cost", cost: cheap });
    const table = sweepTable(sweep);
    expect(table.columns.map(({ head }) => head)).toContain("Monthly cost");
    expect(table.rows[1]?.cells[5]).toEqual({ shown: dear, copied: 2 * month_usd });
    expect(sweepCsv(sweep).split("\r\n")[1]).toContain(`,${month_usd},`);
    render(<Winners sweep={sweep} />, { wrapper: Surroundings });
    expect(screen.getByRole("columnheader", { name: "Monthly cost" })).toBeDefined();
    expect(screen.getByText(`${cheap}–${dear}`)).toBeDefined();
    // Computed before the cost of a month was stored: runs, and said so.
    const older = {
      ...sweep,
      cells: sweep.cells.map((each) => cell(each.column, { ...best, cost_always_on_usd: null })),
    };
    expect(captionOf(older, "cost")).toContain(`${usd(winner.cost_usd.p50)} a run`);
  });
});
