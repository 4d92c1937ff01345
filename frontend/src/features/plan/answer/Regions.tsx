import { Button, Skeleton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { RegionPlanAnswer, RegionsAnswer } from "@/api/generated";
import { regions } from "@/api/planning/explanations";
import type { WorkloadDocument } from "@/api/queries";
import { clusterName } from "@/features/plan/address/cluster";
import type { View, ViewChange } from "@/features/plan/address/view";
import { percentWords } from "@/features/plan/configurations/difference";
import { type Money, moneyOf } from "@/features/plan/configurations/money";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { chosenWords, openIn, regionIn } from "@/features/plan/workload/place";
import { counted, day, duration, threeDigits, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Scroller } from "@/ui/table/Scroller";
import { type Column, Table } from "@/ui/table/Table";
import { Priced, PriceNote } from "@/ui/values/PriceTerms";
import { Value } from "@/ui/values/Value";
import type { Question } from "./Answer";
import classes from "./Regions.module.css";

/** Each region is a search: fetched once the question settles, not at each step of a drag [ms]. */
const REST_MS = 300;

interface RegionsProps {
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  view: View;
  onView: (change: ViewChange, replace: boolean) => void;
  /** Undefined for a saved plan, whose region cannot be changed. */
  question: Question | undefined;
}

/** Answers to the same question in other regions, on demand. */
export function Regions({ document, view, onView, question }: RegionsProps) {
  return (
    <section className="card" aria-label="In other regions">
      <Disclosure
        summary="In other regions"
        initiallyOpen={view.regions === "open"}
        onToggle={(open) => onView({ regions: open ? "open" : undefined }, true)}
      >
        {() => <Compared document={document} question={question} />}
      </Disclosure>
    </section>
  );
}

function Compared({ document, question }: Pick<RegionsProps, "document" | "question">) {
  const now = JSON.stringify(document);
  const [text] = useDebouncedValue(now, REST_MS);
  const asked = JSON.parse(text) as WorkloadDocument;
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...regions(asked),
    placeholderData: (before) => before,
  });
  if (data !== undefined) {
    const stale = isPlaceholderData || text !== now;
    return (
      <Priced terms={data.price_terms}>
        <div className="fades" data-stale={stale || undefined} aria-busy={stale}>
          <RegionTable answer={data} document={asked} question={question} />
        </div>
      </Priced>
    );
  }
  if (error !== null) {
    return <ProblemNotice error={error} kept="The plan is still there." onRetry={() => void refetch()} />;
  }
  return <Skeleton height={120} role="status" aria-label="Searching every region" />;
}

/** Return the value that the regions are sorted by. */
function measure({ best }: RegionPlanAnswer, objective: Objective): number | null {
  if (best === null) return null;
  return { cost: best.cost_usd, time: best.time_s, month: best.cost_always_on_usd }[objective];
}

type Answering = RegionPlanAnswer & { best: NonNullable<RegionPlanAnswer["best"]> };

/** Describe when a lower cost there has paid for the move: `paid back after 12 runs`. */
function paybackWords(
  { best, move_usd }: Answering,
  own: RegionPlanAnswer["best"],
  { at }: Money,
  period: string,
): string | null {
  if (own === null || move_usd === null || move_usd === 0) return null;
  const saved = at(own) - at(best);
  return saved <= 0 ? "never paid back" : `paid back after ${counted(Math.ceil(move_usd / saved), period)}`;
}

interface RegionTableProps {
  answer: RegionsAnswer;
  document: WorkloadDocument;
  question: Question | undefined;
}

function RegionTable({ answer, document, question }: RegionTableProps) {
  const { objective } = answer;
  const here = regionIn(document);
  const own = answer.regions.find(({ region }) => region === here);
  const reference = own === undefined ? null : measure(own, objective);
  const open = openIn(document);
  const money = moneyOf(objective);
  const answering = answer.regions.flatMap(({ best, ...one }) => (best === null ? [] : [{ ...one, best }]));
  const difference = (one: RegionPlanAnswer) => {
    const value = measure(one, objective);
    return value === null || reference === null || one.region === here ? null : percentWords(value, reference);
  };
  const period = money.of;
  const ownBest = own?.best ?? null;
  const silent = answer.regions.filter(({ best }) => best === null);
  return (
    <>
      <p className="dim" style={{ margin: "4px 0 8px" }}>
        The best of each of {counted(answer.regions.length, "region")}, searched in {duration(answer.elapsed_s)}.
        Percentages are of {here}. Ordered by {objective === "time" ? "time" : money.head.toLowerCase()}
        {answer.moved_gb > 0 && ", without the move: how often the workload runs decides whether that pays"}.{" "}
        {answer.moved_gb > 0
          ? `Moving ${threeDigits(answer.moved_gb)} GB from ${here} is paid once: the last column is the first ${period} with it.`
          : "No data has to be moved: the job writes new data, or reads from outside AWS."}
      </p>
      <Scroller className={`${classes.scroller} sideways`} aria-label="Regions">
        <Table
          caption="The best configuration of each region"
          rows={answering}
          keyOf={({ region }) => region}
          rowProps={({ region }) => ({ "aria-current": region === here || undefined })}
          columns={[
            {
              head: "Region",
              rowHead: true,
              cell: ({ region }) => (
                <>
                  <span className={classes.region}>{region}</span>
                  {question !== undefined && region !== here && (
                    <Button
                      variant="subtle"
                      size="compact-xs"
                      className={`${classes.there} no-print`}
                      aria-label={`Plan in ${region}`}
                      onClick={() => question.change({ region }, "new entry")}
                    >
                      Plan there
                    </Button>
                  )}
                </>
              ),
            },
            {
              head: "Configuration",
              cell: ({ best }) => clusterName(best),
              note: ({ best }) => [best.storage_words, ...chosenWords(best, open)].join(", "),
              cellProps: ({ sentence }) => ({ title: sentence }),
            },
            {
              head: "Time",
              value: ({ best }) => [best.time_s, duration, "s"],
              note: (one) => (objective === "time" ? difference(one) : null),
            },
            {
              head: (
                <>
                  {money.head}
                  <PriceNote />
                </>
              ),
              value: ({ best }) => [money.at(best), usd, "USD"],
              note: (one) => (objective === "time" ? null : difference(one)),
            },
            ...(answer.moved_gb === 0
              ? []
              : ([
                  {
                    head: "Moving the data",
                    number: true,
                    cell: ({ move_usd }) =>
                      move_usd === null ? "not known" : <Value text={usd(move_usd)} exact={move_usd} unit="USD" />,
                    note: (one) => paybackWords(one, ownBest, money, period),
                  },
                  {
                    head: (
                      <>
                        First {period}, with the move
                        <PriceNote />
                      </>
                    ),
                    number: true,
                    cell: ({ best, move_usd }) => {
                      if (move_usd === null) return "—";
                      const sum = money.at(best) + move_usd;
                      return <Value text={usd(sum)} exact={sum} unit="USD" />;
                    },
                  },
                ] satisfies Column<Answering>[])),
          ]}
        />
      </Scroller>
      {answer.moved_gb > 0 && (
        <p className="dim small">
          Price of moving data: {answer.move_source} ({day(answer.move_as_of)}). Nothing is paid for data that arrives.
        </p>
      )}
      {silent.length > 0 && (
        <ul className="dim small">
          {silent.map(({ region, sentence }) => (
            <li key={region}>
              {region}: {sentence}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
