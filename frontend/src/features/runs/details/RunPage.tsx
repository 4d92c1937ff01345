import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { hasEnded, type Run, run as runQuery } from "@/api/runs/runs";
import { useRun } from "@/api/runs/useRun";
import { useMay } from "@/api/teams/session";
import { QuoteTable } from "@/features/runs/QuoteTable";
import classes from "@/features/runs/Runs.module.css";
import { StateMark } from "@/features/runs/StateMark";
import type { RunSearch } from "@/features/runs/search";
import { cents, headline, spentWords } from "@/features/runs/words";
import { useUnits } from "@/lib/units";
import { useNow } from "@/lib/useNow";
import { moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { ObjectPage } from "@/ui/feedback/ObjectPage";
import { Refusal } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import { backToRuns } from "@/ui/links/objects";
import { Facts } from "@/ui/Sentence";
import { Accepting } from "./Accepting";
import { CostSoFar } from "./CostSoFar";
import { Ending } from "./Ending";
import { LiveSection } from "./LiveSection";
import { Log } from "./Log";
import { Nodes } from "./Nodes";
import { Resources } from "./Resources";
import { Results } from "./Results";
import { Scaling } from "./Scaling";
import { Screened } from "./Screened";
import { Steps } from "./Steps";
import { Trouble } from "./Trouble";

export interface RunPageProps {
  id: string;
  search: RunSearch;
  onSearch: (search: RunSearch) => void;
  /** Link to a new run with the same specification. */
  again: (run: Run) => ReactNode;
  /** Metrics from CloudWatch. */
  metrics: (run: Run) => ReactNode;
}

/** A run: state, cost, nodes, results and remaining resources. */
export function RunPage(props: RunPageProps) {
  useUnits();
  return (
    <ObjectPage
      query={useQuery(runQuery(props.id))}
      title="Run"
      nameOf={({ name }) => name}
      kind="run"
      kept="The run goes on as it was agreed to."
      heights={[150, 320]}
    >
      {(run) => <Loaded key={run.id} {...props} first={run} />}
    </ObjectPage>
  );
}

type LoadedProps = RunPageProps & { first: Run };

function Loaded({ first, search, onSearch, ...props }: LoadedProps) {
  const followed = useRun(first);
  const { run } = followed;
  const ended = hasEnded(run);
  const measured = (
    <>
      <Screened run={run} />
      <Scaling run={run} />
      <Results run={run} />
      <Accepting run={run} />
    </>
  );
  const watched = (
    <>
      <LiveSection run={run} rate={search.rate} onRate={(rate) => onSearch({ rate })} />
      <Nodes run={run} />
      {run.launched_at !== null && props.metrics(run)}
    </>
  );
  return (
    <div className="page">
      <Head run={run} followed={followed} again={props.again} />
      <Trouble run={run} />
      <Ending run={run} />
      <CostSoFar run={run} />
      <Steps run={run} />
      {run.state === "quoted" && (
        <Card id="parts" title="How the bound comes about">
          <QuoteTable quote={run.quote} />
        </Card>
      )}
      {ended ? (
        <>
          {measured}
          {watched}
        </>
      ) : (
        <>
          {watched}
          {measured}
        </>
      )}
      <Log run={run} />
      <Resources run={run} />
    </div>
  );
}

type HeadProps = Pick<RunPageProps, "again"> & { run: Run; followed: ReturnType<typeof useRun> };

function Head({ run, followed, again }: HeadProps) {
  const mayApprove = useMay("runs.approve");
  const mayWrite = useMay("runs.write");
  const now_ms = useNow(run.state === "quoted");
  const inTime = now_ms < Date.parse(run.quote.valid_until);
  const facts = [
    `${run.spec_words.charAt(0).toUpperCase()}${run.spec_words.slice(1)}`,
    run.account_name ?? "the account is not connected any more",
    `asked for by ${run.person}, ${moment(run.created_at)}`,
    ...(run.agreed_by !== null && run.agreed_usd !== null
      ? [`${run.agreed_by} agreed to at most ${cents(run.agreed_usd)}`]
      : []),
    ...(run.state === "quoted" ? [`the price holds until ${moment(run.quote.valid_until)}`] : []),
    ...(run.cancel_asked_at === null ? [] : [`cancelled by ${run.cancel_asked_by ?? "a person"}`]),
  ];
  return (
    <section className="card" aria-label="In a sentence">
      <Group justify="space-between" align="baseline" gap="4px 16px">
        <h1 className="title wraps">{run.name}</h1>
        <StateMark run={run} />
      </Group>
      <p className="headline" data-testid="sentence">
        {headline(run)}
      </p>
      <span className="spoken" role="status">
        {headline(run)}
      </span>
      <Facts of={facts} />
      <Group gap="8px 12px" mt={14} className={`${classes.start} no-print`}>
        {run.state === "quoted" && run.can_approve && mayApprove && (
          <Button
            className="wrapping"
            disabled={followed.asking || !inTime}
            onClick={() => followed.approve(run.quoted_usd).catch(() => undefined)}
          >
            Run for at most {cents(run.quoted_usd)}
          </Button>
        )}
        {run.state === "quoted" && !mayApprove && (
          <span className="dim small">A planner or an owner of the team can approve it.</span>
        )}
        {run.can_cancel && mayWrite && <Cancelling run={run} onCancel={followed.cancel} />}
        {mayWrite && again(run)}
        {backToRuns("/benchmarks/runs", "All runs")}
      </Group>
      <Refusal error={followed.error} kept="The run is as it was." />
    </section>
  );
}

function Cancelling({ run, onCancel }: { run: Run; onCancel: () => Promise<Run> }) {
  const begun = run.launched_at !== null;
  return (
    <Confirm
      words={begun ? "Cancel the run" : "Discard it"}
      go={begun ? "Cancel the run" : "Discard it"}
      onGo={onCancel}
    >
      {begun ? (
        <>
          The nodes stop and send what they have; then everything that was made is removed, and it is looked at that
          nothing is left. The {spentWords(run.spent_usd)} so far is spent.
        </>
      ) : (
        <>Nothing has been launched; nothing is spent.</>
      )}
    </Confirm>
  );
}
