import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { prerender } from "react-dom/static";
import type { PlanAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { costTimeAxes, costTimeFigure } from "@/charts/figures/costTime";
import { clusterKey, clusterName } from "@/features/plan/address/cluster";
import { AnswerHead } from "@/features/plan/answer/AnswerHead";
import { Assumed } from "@/features/plan/answer/Assumed";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { DetailsPanel } from "@/features/plan/details/Details";
import { ChartCard, chartData } from "@/features/plan/frontier/ChartCard";
import { NothingFits } from "@/features/plan/limits/NothingFits";
import { PinsProvider } from "@/features/plan/pins/PinButton";
import { RankedTable } from "@/features/plan/ranking/RankedTable";
import { rankedColumns, rankedCsv } from "@/features/plan/ranking/rankedColumns";
import type { WholeRanking } from "@/features/plan/ranking/useRanking";

/** A question with its answer, as the service gives both. */
interface Answered {
  document: WorkloadDocument;
  answer: PlanAnswer;
}

/** A number on the page: as people read it, and as hovering shows it. */
interface Told {
  text: string;
  exact: string;
}

type Cells = Record<string, string>;

const EXACT = /^-?\d[\d.]*(?:e[+-]?\d+)? \S+$/;
const nothing = () => undefined;

/** Reads what would be sent to a browser. */
type Parse = (html: string) => Document;

/** What the page says of each answer, with no browser: from its own components. */
export function textsOf(answered: readonly Answered[], parse: Parse): Promise<unknown[]> {
  return Promise.all(answered.map((each) => saidOf(each, parse)));
}

async function saidOf({ document, answer }: Answered, parse: Parse) {
  const drawn = async (page: ReactNode) => bodyOf(parse(await htmlOf(page)));
  const head = await drawn(<AnswerHead answer={answer} actions={null} onDetails={undefined} />);
  const assumed = await drawn(<Assumed assumed={answer.assumed} document={document} question={undefined} />);
  const [first] = answer.configurations;
  const common = {
    sentence: head.querySelector("[data-testid=sentence]")?.textContent,
    facts: [...head.querySelectorAll("li")].map(textOf),
    assumed: textOf(assumed),
  };
  if (first === undefined) {
    const nothingFits = await drawn(<NothingFits answer={answer} onChange={undefined} />);
    return { ...common, nothing: textOf(nothingFits) };
  }
  const table = await drawn(
    <RankedTable
      answer={answer}
      document={document}
      ranking={NOT_WANTED}
      chosen={undefined}
      view={{}}
      onView={nothing}
      onPick={nothing}
    />,
  );
  const data = chartData(answer, answer.curves, null, []);
  const axes = costTimeAxes(data, answer.limits, true);
  const chart = await drawn(
    <ChartCard
      answer={answer}
      document={document}
      curves={answer.curves}
      chosen={undefined}
      pins={[]}
      today={undefined}
      scale="log"
      handles={undefined}
      onScale={nothing}
      onPick={nothing}
    />,
  );
  const chosen: Named = {
    asked: clusterKey(first),
    key: clusterKey(first),
    cluster: first,
    name: clusterName(first),
    document,
    differs: [],
    rank: 1,
    configuration: first,
    sentence: undefined,
    infeasible: undefined,
    loading: false,
    error: null,
    retry: nothing,
  };
  const panel = { answer, document, chosen, others: { pins: [], today: undefined, why: undefined }, docked: true };
  const details = await drawn(<DetailsPanel {...panel} view={{ tab: "money" }} onView={nothing} onClose={nothing} />);
  return {
    ...common,
    ranking: tableIn(table),
    told: [table, details].flatMap(toldIn),
    chart: {
      of: data.of,
      caption: textOf(chart.querySelector("p")),
      ranked: data.ranked.map(({ name, time_s, cost_usd }) => ({ name, time_s, cost_usd })),
      frontier: [...data.frontier, ...data.safer].map(({ name, time_s, cost_usd }) => ({ name, time_s, cost_usd })),
      hovers: costTimeFigure(data, axes, answer.limits)
        .panels.flatMap(({ marks }) => marks.flatMap((mark) => (mark.kind === "points" ? mark.points : [])))
        .flatMap(({ x, y, words }) =>
          words === undefined ? [] : { text: words.join("<br>"), time_s: x, cost_usd: y },
        ),
    },
    details: [...details.querySelectorAll("table")].map(tableIn),
    entries: [...details.querySelectorAll("dt")].map((name) => [textOf(name), textOf(name.nextElementSibling)]),
    csv: rankedCsv(answer.configurations, rankedColumns(answer.objective, document, undefined)),
  };
}

/** A ranking that is not looked into beyond the rows of its answer. */
const NOT_WANTED: WholeRanking = {
  source: { of: "plan", id: "0" },
  query: { find: "", sort: undefined },
  wanted: false,
  rows: undefined,
  current: false,
  matching: 0,
  total: 0,
  incomplete: null,
  more: undefined,
  fetching: false,
  error: null,
  retry: nothing,
};

async function htmlOf(page: ReactNode): Promise<string> {
  // Nothing is forgotten after a while: the process would wait for it.
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false, gcTime: Number.POSITIVE_INFINITY } } });
  const whole = (
    <MantineProvider>
      <QueryClientProvider client={client}>
        <PinsProvider pins={{ keys: [], pinOf: (key) => key, onChange: nothing }}>{page}</PinsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
  const failures: unknown[] = [];
  const { prelude } = await prerender(whole, { onError: (error) => void failures.push(error) });
  if (failures.length > 0) throw failures[0];
  return new Response(prelude as BodyInit).text();
}

/** The page without elements that are invisible to readers. */
function bodyOf({ body }: Document): Element {
  for (const each of body.querySelectorAll("style, script, [aria-hidden=true], .spoken")) each.remove();
  return body;
}

function tableIn(whole: Element): Cells[] {
  const heads = [...whole.querySelectorAll("thead th")].map(textOf);
  return [...whole.querySelectorAll("tbody tr")].map((row) =>
    Object.fromEntries([...row.querySelectorAll("th, td")].map((cell, index) => [heads[index] ?? "", textOf(cell)])),
  );
}

function toldIn(whole: Element): Told[] {
  return [...whole.querySelectorAll("[title]")].flatMap((each) => {
    const exact = each.getAttribute("title") ?? "";
    return EXACT.test(exact) ? [{ text: textOf(each), exact }] : [];
  });
}

function textOf(each: Element | null): string {
  return each?.textContent?.replace(/\s+/g, " ").trim() ?? "";
}
