import { Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ExampleSummary, HomeAnswer } from "@/api/generated";
import { home } from "@/api/home";
import { useSession } from "@/api/teams/session";
import { counted, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { QueryState } from "@/ui/feedback/QueryState";
import { Gallery } from "./Gallery";
import classes from "./HomePage.module.css";
import { Activity, Changed, Reports, Results, Runs } from "./parts";
import { Savings } from "./Savings";
import { Steps } from "./Steps";

interface HomePageProps {
  /** Primary actions of the reader. */
  actions: ReactNode;
  /** Further ways to begin, shown while the team has no plan. */
  start: ReactNode;
  /** Builds the link that opens an example in the form; undefined if the reader may not ask. */
  linkTo: ((example: ExampleSummary) => ReactNode) | undefined;
}

/** First page: what is found, what changed, what waits for a person, what costs money now. */
export function HomePage({ actions, start, linkTo }: HomePageProps) {
  useDocumentTitle("Home · Stowage");
  const query = useQuery(home());
  const role = useSession()?.team?.role;
  const { data } = query;
  const begun = data?.begun ?? null;
  const isNew = begun !== null && begun.plans === 0 && (begun.results ?? 0) === 0;
  return (
    <div className="page">
      <section className="card" aria-labelledby="home">
        <div className="spread">
          <h1 id="home">Home</h1>
          <Group gap="sm">{actions}</Group>
        </div>
        <QueryState query={query} kept="Nothing was changed." loading="Reading what is new" heights={[28]} />
        {data !== undefined && <p className="lead line">{isNew ? FIRST : headline(data)}</p>}
        {isNew && <Steps begun={begun} />}
        {isNew && <Group gap="sm">{start}</Group>}
      </section>
      {query.isPending && <QueryState query={query} kept="" loading="Reading the team’s state" heights={[160, 160]} />}
      {data !== undefined && !isNew && <Parts data={data} moneyFirst={role === "viewer"} />}
      {linkTo !== undefined &&
        (isNew ? (
          <section className="card" aria-labelledby="gallery">
            <h2 id="gallery" className="title">
              Example workloads
            </h2>
            <Gallery linkTo={linkTo} />
          </section>
        ) : (
          data !== undefined && (
            <section className="card" aria-label="Example workloads">
              <Disclosure summary="Example workloads">{() => <Gallery linkTo={linkTo} />}</Disclosure>
            </section>
          )
        ))}
    </div>
  );
}

const FIRST =
  "Which AWS cluster runs your job in time, at the lowest cost? Describe the job, or begin with an example.";

/** Parts of the page: money first for those who decide, news first for those who work with plans; empty parts last. */
function Parts({ data, moneyFirst }: { data: HomeAnswer; moneyFirst: boolean }) {
  const { savings, changed, runs, results, reports, activity } = data;
  const money = [
    savings !== null && { size: savings.size, part: <Savings key="savings" savings={savings} /> },
    runs !== null && { size: runs.rows.length, part: <Runs key="runs" runs={runs} /> },
  ];
  const news = [
    changed !== null && { size: changed.size, part: <Changed key="changed" changed={changed} /> },
    results !== null && { size: results.length, part: <Results key="results" results={results} /> },
  ];
  const inOrder = (moneyFirst ? [...money, ...news] : [...news, ...money]).filter((each) => each !== false);
  return (
    <div className={classes.parts}>
      {inOrder.filter(({ size }) => size > 0).map(({ part }) => part)}
      {inOrder.filter(({ size }) => size === 0).map(({ part }) => part)}
      {reports !== null && <Reports reports={reports} />}
      {activity !== null && activity.length > 0 && <Activity activity={activity} />}
    </div>
  );
}

/** Say in a sentence what is found, changed, waiting and running. */
export function headline({ savings, changed, runs }: HomeAnswer): string {
  const found: string[] = [];
  if (savings !== null && savings.size > 0) {
    found.push(`${usd(savings.month_usd)} a month of savings found and not acted on`);
  }
  if (changed !== null && changed.size > 0) found.push(`${counted(changed.size, "watched plan")} changed`);
  if (runs !== null && runs.awaiting > 0) {
    found.push(`${counted(runs.awaiting, "run awaits", "runs await")} approval`);
  }
  if (runs !== null && runs.in_progress > 0) {
    found.push(`${counted(runs.in_progress, "run")} in progress at ${usd(runs.usd_per_hour)} an hour`);
  }
  if (found.length === 0) return "Nothing waits for you: no open saving, no changed plan, no run in progress.";
  return `${found.join("; ")}.`;
}
