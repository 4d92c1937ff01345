import { Button, Skeleton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { RegionPlanAnswer, RegionsAnswer } from "@/api/generated";
import { regions } from "@/api/planning/explanations";
import type { WorkloadDocument } from "@/api/queries";
import { clusterName } from "@/features/plan/address/cluster";
import type { View, ViewChange } from "@/features/plan/address/view";
import { percentWords } from "@/features/plan/configurations/difference";
import { moneyOf } from "@/features/plan/configurations/money";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { chosenWords, openIn, regionIn } from "@/features/plan/workload/place";
import { counted, duration, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Scroller } from "@/ui/table/Scroller";
import { Table } from "@/ui/table/Table";
import { Priced, PriceNote } from "@/ui/values/PriceTerms";
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
  const [text] = useDebouncedValue(JSON.stringify(document), REST_MS);
  const asked = JSON.parse(text) as WorkloadDocument;
  const { data, error, refetch } = useQuery({ ...regions(asked), placeholderData: (before) => before });
  if (data !== undefined) {
    return (
      <Priced terms={data.price_terms}>
        <RegionTable answer={data} document={asked} question={question} />
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
  const silent = answer.regions.filter(({ best }) => best === null);
  return (
    <>
      <p className="dim" style={{ margin: "4px 0 8px" }}>
        The best of each of {counted(answer.regions.length, "region")}, searched in {duration(answer.elapsed_s)}.
        Percents are of {here}. Moving the data there is not counted.
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
          ]}
        />
      </Scroller>
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
