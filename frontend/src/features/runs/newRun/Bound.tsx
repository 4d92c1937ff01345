import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { approveRun } from "@/api/generated";
import { forTeam } from "@/api/requests";
import type { AwsAccount } from "@/api/runs/awsAccounts";
import { ask, type Quote, type RunSpec, run as runQuery, runsKey } from "@/api/runs/runs";
import { useMay } from "@/api/teams/session";
import { QuoteTable } from "@/features/runs/QuoteTable";
import classes from "@/features/runs/Runs.module.css";
import { cents } from "@/features/runs/words";
import { counted, moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Notice } from "@/ui/feedback/Notice";
import { Refusal } from "@/ui/feedback/Refusal";
import { linkToPlan } from "@/ui/links/objects";
import { Sentence } from "@/ui/Sentence";
import { BENCHMARKS, type Question } from "./question";

interface BoundProps {
  quote: Quote;
  /** Whether the quote is for the current form. */
  current: boolean;
  question: Question;
  spec: RunSpec | null;
  account: AwsAccount | null;
  onStarted: (id: string) => void;
}

/** Maximum cost; the button names the sum that it approves. */
export function Bound({ quote, current, question, spec, account, onStarted }: BoundProps) {
  const client = useQueryClient();
  const mayApprove = useMay("runs.approve");
  const mayAsk = useMay("runs.write");
  const [agreed, setAgreed] = useState<number | null>(null);
  const starting = useMutation({
    mutationFn: async (agree: boolean) => {
      if (spec === null || account === null) throw new Error("nothing to ask for");
      const agreed_usd = quote.total_usd;
      setAgreed(agree ? agreed_usd : null);
      const name = question.called.trim() === "" ? nameOf(spec) : question.called.trim();
      const kept = await ask({ name, account_id: account.id, spec });
      client.setQueryData(runQuery(kept.id).queryKey, kept);
      // Only the sum on the button is approved. If the price has changed since, the run waits for approval with its own quote.
      if (!agree || kept.quoted_usd !== agreed_usd) return kept;
      try {
        const approved = await approveRun({ path: { run_id: kept.id }, body: { agreed_usd }, ...forTeam() });
        client.setQueryData(runQuery(kept.id).queryKey, approved);
        return approved;
      } catch {
        // The run is stored and waits; its page shows this, and offers another try.
        return kept;
      }
    },
    onSuccess: (kept) => {
      void client.invalidateQueries({ queryKey: [...runsKey(), "list"] });
      onStarted(kept.id);
    },
  });
  const blocked = !current || spec === null || account === null || quote.problems.length > 0;
  return (
    <>
      <section className="card" aria-label="What it costs" data-stale={!current || undefined}>
        <Sentence
          as="p"
          facts={[
            `the price holds until ${moment(quote.valid_until)}`,
            account !== null &&
              `${cents(Math.max(0, account.month_limit_usd - account.month_committed_usd))} left of the ${cents(account.month_limit_usd)} a month of ${account.name}`,
          ]}
        >
          {quote.sentence}
        </Sentence>
        {quote.problems.length > 0 && (
          <Notice tone="warn" title="It cannot run like this.">
            {quote.problems.map((problem) => (
              <p key={problem} className="line">
                {problem}
              </p>
            ))}
          </Notice>
        )}
        <Group gap="8px 12px" mt={14} className={classes.start}>
          {mayApprove && (
            <Button
              className="wrapping"
              disabled={blocked}
              loading={starting.isPending && agreed !== null}
              onClick={() => starting.mutate(true)}
            >
              Run for at most {cents(quote.total_usd)}
            </Button>
          )}
          {mayAsk && (
            <Button
              variant={mayApprove ? "default" : "filled"}
              className="wrapping"
              disabled={blocked}
              loading={starting.isPending && agreed === null}
              onClick={() => starting.mutate(false)}
            >
              {mayApprove ? "Keep it, approve later" : "Ask for approval"}
            </Button>
          )}
          <span className="dim small">
            {account === null
              ? "Choose an AWS account first: it runs there, and is paid there."
              : mayApprove
                ? "AWS bills it to your account. Nothing of it goes to anybody else."
                : "A planner or an owner of the team agrees to the sum before anything is launched."}
          </span>
        </Group>
        <Refusal error={starting.error} kept="Nothing was launched." />
      </section>
      <Card id="parts" title="How the bound comes about">
        <QuoteTable quote={quote} />
      </Card>
      <Changes quote={quote} />
    </>
  );
}

/** `NetBench, 4 × i4i.xlarge`. */
function nameOf({ benchmark, nodes, instance }: RunSpec): string {
  return `${BENCHMARKS[benchmark].name}, ${nodes} × ${instance}`;
}

/** Plans that would use the results. */
function Changes({ quote: { changes } }: Pick<BoundProps, "quote">) {
  return (
    <Card id="changes" title="What it would change">
      {changes.length === 0 ? (
        <p className="line">
          No saved plan's winner rests on what this would measure. Plans that are made afterwards do, once the results
          are accepted.
        </p>
      ) : (
        <>
          <p className="line">
            {counted(changes.length, "saved plan rests", "saved plans rest")} on figures that this would measure:
          </p>
          <ul className={`bare lines ${classes.plainList}`}>
            {changes.map(({ plan_id, name, words }) => (
              <li key={plan_id}>
                {linkToPlan(plan_id, name)}: {words}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
