import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NewReport, ReportAnswer } from "@/api/generated";
import { publish, report as reportQuery, reportsKey } from "@/api/reports";
import { useMay } from "@/api/teams/session";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { LONGEST_TITLE } from "./composer/question";

interface MakeReportProps {
  plan: { id: string; name: string };
  /** Notes of the plan, which become the author's words. */
  notes: string;
  /** The baseline that is shown; undefined for the one saved with the plan. */
  today?: NewReport["today"] | undefined;
  onMade: (report: ReportAnswer) => void;
}

/** Publish a report of a saved plan at once, without a form; for people who may publish. */
export function MakeReport({ plan, notes, today, onMade }: MakeReportProps) {
  const client = useQueryClient();
  const queryKey = [...reportsKey(), "list"];
  const making = useMutation({
    mutationFn: () =>
      publish({
        title: plan.name.slice(0, LONGEST_TITLE),
        words: notes,
        origin: { kind: "plan", plan_id: plan.id },
        ...(today === undefined ? {} : { today }),
      }),
    onSuccess: (made) => {
      client.setQueryData(reportQuery(made.id).queryKey, made);
      void client.invalidateQueries({ queryKey });
      onMade(made);
    },
  });
  if (!useMay("reports.write")) return null;
  return (
    <div>
      <Button size="compact-sm" loading={making.isPending} onClick={() => making.mutate()}>
        Make a report
      </Button>
      {making.error !== null && <ProblemNotice error={making.error} kept="The plan is kept." />}
    </div>
  );
}
