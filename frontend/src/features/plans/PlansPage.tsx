import { Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import type { PlanSummaryAnswer } from "@/api/generated";
import { savedPlans } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { count, duration, moment, usd } from "@/lib/wording";
import type { WordsSearch } from "@/lib/wordsSearch";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { NameForm } from "@/ui/forms/NameForm";
import { List, ListHead, SearchBox, useListSearch } from "@/ui/list/List";
import { RowAction } from "@/ui/list/RowAction";
import { useRows } from "@/ui/list/useRows";
import { Value } from "@/ui/values/Value";
import { Changes } from "./Changes";
import classes from "./PlansPage.module.css";
import { usePlanChanges } from "./usePlanChanges";

interface PlansPageProps {
  search: WordsSearch;
  onSearch: (search: WordsSearch) => void;
  linkTo: (plan: PlanSummaryAnswer) => ReactNode;
  /** Builds the link that asks the question of a plan again with the newest catalog. */
  again: (plan: PlanSummaryAnswer) => ReactNode;
  /** Renders the watch mark of a plan. */
  mark?: (plan: PlanSummaryAnswer) => ReactNode;
  /** Content if there are no saved plans. */
  start: ReactNode;
}

/** List of the saved plans, newest first. */
export function PlansPage({ search, onSearch, linkTo, again, mark, start }: PlansPageProps) {
  useDocumentTitle("Saved plans · Stowage");
  const words = useListSearch(search, onSearch);
  const list = useRows(savedPlans(words.asked), (page) => page.plans);
  return (
    <section className="card centered" aria-labelledby="plans">
      <ListHead id="plans" title="Saved plans">
        <SearchBox aria-label="Search the plans" placeholder="Name, workload, winner or catalog" {...words.field} />
      </ListHead>
      <List
        {...list}
        kept="What was saved is kept."
        label={{ "aria-label": "Saved plans" }}
        className={`columned ${classes.list}`}
        filter={words.filter("plan", "Show all plans")}
        empty={
          <>
            <p>A saved plan keeps its question and the answer of that day, to share by its address.</p>
            {start}
          </>
        }
        row={(plan) => <Entry key={plan.id} plan={plan} link={linkTo(plan)} again={again(plan)} mark={mark?.(plan)} />}
      />
    </section>
  );
}

interface EntryProps {
  plan: PlanSummaryAnswer;
  link: ReactNode;
  again: ReactNode;
  mark: ReactNode;
}

function Entry({ plan, link, again, mark }: EntryProps) {
  const [naming, setNaming] = useState(false);
  const { rename, duplicating, deleting, error } = usePlanChanges(plan);
  const mayWrite = useMay("plans.write");
  return (
    <li>
      <div>
        {naming ? (
          <NameForm name={plan.name} onRename={rename} onEnd={() => setNaming(false)} />
        ) : (
          <div className="strong wraps">
            {link} {mark}
          </div>
        )}
        <div className="dim small">
          {moment(plan.created_at)} · catalog {plan.catalog_version}
        </div>
        {plan.saving != null && <div className="small">{plan.saving.sentence}</div>}
        <Changes changes={plan.changes} again={again} />
        {error !== null && <ProblemNotice error={error} kept="The plan is kept." />}
      </div>
      <div className="end">
        <Best plan={plan} />
      </div>
      {mayWrite && (
        <Group gap={0} wrap="nowrap" className={`end ${classes.actions} no-print`}>
          <RowAction label={`Rename “${plan.name}”`} change={{ mutate: () => setNaming(!naming) }}>
            Rename
          </RowAction>
          <RowAction label={`Duplicate “${plan.name}”`} change={duplicating}>
            Duplicate
          </RowAction>
          <RowAction label={`Delete “${plan.name}”`} change={deleting}>
            Delete
          </RowAction>
        </Group>
      )}
    </li>
  );
}

function Best({ plan }: { plan: PlanSummaryAnswer }) {
  const { best_instance, best_nodes, best_time_s, best_cost_usd, best_month_usd: month } = plan;
  if (best_instance === null || best_nodes === null || best_time_s === null || best_cost_usd === null) {
    return <span className="dim">nothing fitted</span>;
  }
  return (
    <>
      <div className="strong">
        {count(best_nodes)} × {best_instance}
      </div>
      <div>
        <Value text={duration(best_time_s)} exact={best_time_s} unit="s" />
        {typeof month === "number" && " a run"} ·{" "}
        {typeof month === "number" ? (
          <>
            <Value text={usd(month)} exact={month} unit="USD" /> a month
          </>
        ) : (
          <Value text={usd(best_cost_usd)} exact={best_cost_usd} unit="USD" />
        )}
        {plan.price_terms !== null && <span className="dim small"> incl. {plan.price_terms}</span>}
      </div>
    </>
  );
}
