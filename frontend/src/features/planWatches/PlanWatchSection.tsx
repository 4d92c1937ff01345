import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { checkPlan, endPlanWatch } from "@/api/generated";
import { type Objective, type PlanWatch, planWatch, planWatchesKey, watch } from "@/api/planning/planWatches";
import { forTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import { Chart } from "@/charts/Chart";
import { chartTable } from "@/charts/chartTable";
import { watchFigure } from "@/charts/figures/watchHistory";
import { counted, moment, threeDigits } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { useUndo } from "@/ui/feedback/Undo";
import classes from "./PlanWatch.module.css";
import { WatchForm } from "./WatchForm";
import { amount, bandOf, EVERY, foundWords, numberOf, SOUGHT, stepsOf, winnerName, wonWords } from "./words";

interface PlanWatchSectionProps {
  planId: string;
  planName: string;
  /** Link to the alerts and their settings. */
  toAlerts: ReactNode;
}

/** Watch of a saved plan: its state, the results of its checks, and the controls to start, change and stop it. */
export function PlanWatchSection({ planId, planName, toAlerts }: PlanWatchSectionProps) {
  const query = useQuery(planWatch(planId));
  const mayWrite = useMay("plans.write");
  const found = query.data;
  if (found === undefined) {
    return query.error === null ? null : (
      <ProblemNotice error={query.error} kept="The plan is kept." onRetry={() => void query.refetch()} />
    );
  }
  // Hidden if there are neither results nor controls.
  if (found.state === "off" && found.checks.length === 0 && !mayWrite) return null;
  return (
    <section className="card" style={{ marginBottom: 16 }} aria-labelledby="watch">
      {found.state === "on" ? (
        <Watched found={found} planName={planName} toAlerts={toAlerts} />
      ) : (
        <>
          <h2 id="watch">Watch</h2>
          <p className="line">
            Ask this question again on the newest catalog, with the team's newest measurements, and be told when another
            configuration wins, or the winner's cost, or its time where the plan looks for that, changes.
          </p>
          {mayWrite && <WatchForm planId={planId} now={found} />}
        </>
      )}
      <History found={found} planName={planName} />
    </section>
  );
}

type WatchedProps = Pick<PlanWatchSectionProps, "planName" | "toAlerts"> & { found: PlanWatch };

function Watched({ found, planName, toAlerts }: WatchedProps) {
  const client = useQueryClient();
  const undo = useUndo();
  const mayWrite = useMay("plans.write");
  const [changing, setChanging] = useState(false);
  const { plan_id: planId, every, percent, checking, checks, told } = found;
  const { queryKey } = planWatch(planId);
  const again = () => client.invalidateQueries({ queryKey: planWatchesKey() });
  const asking = useMutation({
    mutationFn: () => checkPlan({ path: { plan_id: planId }, ...forTeam() }),
    onSuccess: (answer) => client.setQueryData(queryKey, answer),
  });
  const ending = useMutation({
    mutationFn: () => endPlanWatch({ path: { plan_id: planId }, ...forTeam() }),
    onSuccess: async () => {
      await again();
      if (every === null || percent === null) return;
      undo({
        words: `“${planName}” is watched no more.`,
        undo: async () => {
          await watch(planId, { every, percent });
          await again();
        },
      });
    },
  });
  const last = checks.at(-1);
  const sought = told?.objective ?? "cost";
  return (
    <>
      <div className="spread">
        <h2 id="watch">Watched {every === null ? "" : EVERY[every]}</h2>
        {mayWrite && (
          <Group gap="xs" className="no-print">
            <Button
              variant="default"
              size="compact-sm"
              loading={asking.isPending || checking}
              onClick={() => asking.mutate()}
            >
              Check now
            </Button>
            <Button variant="default" size="compact-sm" aria-expanded={changing} onClick={() => setChanging(!changing)}>
              Change
            </Button>
            <Button variant="default" size="compact-sm" loading={ending.isPending} onClick={() => ending.mutate()}>
              Stop watching
            </Button>
          </Group>
        )}
      </div>
      {changing && <WatchForm planId={planId} now={found} onEnd={() => setChanging(false)} />}
      <p className="line">
        The team is told when another configuration wins, or the winner's {SOUGHT[sought]} is more than{" "}
        {threeDigits(percent ?? 0)}% from what it was told last: among {toAlerts}, and by mail and webhook where its
        owners want that.
      </p>
      <dl className={`terms wraps ${classes.facts}`}>
        <dt>Last check</dt>
        <dd className={last?.problem == null ? undefined : "bad"}>{lastWords(last, sought)}</dd>
        <dt>Next check</dt>
        <dd>{checking ? "under way" : found.next_check_at === null ? "none" : moment(found.next_check_at)}</dd>
        <dt>Compared with</dt>
        <dd>{told === null ? "nothing" : `${toldWords(told)}, known since ${moment(told.at)}`}</dd>
      </dl>
      <span className="spoken" role="status">
        {checking ? "Being checked" : ""}
      </span>
      {(asking.error ?? ending.error) !== null && (
        <ProblemNotice error={asking.error ?? ending.error} kept="It is watched as before." />
      )}
    </>
  );
}

function toldWords({ winner, objective }: NonNullable<PlanWatch["told"]>): string {
  return winner === null ? "nothing meets the limits" : wonWords(winner, objective);
}

/** Chart of the winner's cost or time, depending on the objective of the plan. */
function History({ found, planName }: { found: PlanWatch; planName: string }) {
  const { checks, state, told: known } = found;
  const sought = known?.objective ?? "cost";
  const title = { cost: "Cost of the winner, a run", month: "Cost of the winner, a month", time: "Time of the winner" }[
    sought
  ];
  const column = { cost: "cost_usd", month: "month_usd", time: "time_s" }[sought];
  if (checks.every(({ winner }) => winner === null)) return null;
  const told = checks.filter((check) => check.told).length;
  const band = state === "on" ? bandOf(found) : null;
  const caption = [
    `${counted(checks.length, "check")}, ${told === 0 ? "none of which was told" : `${told} told (ringed)`}.`,
    ...(band === null ? [] : [`${band.words}, where the winner stays (shaded).`]),
  ].join(" ");
  return (
    <Chart
      level={3}
      title={title}
      caption={caption}
      filename={`stowage-watch-${found.plan_id}`}
      data={() =>
        chartTable(checks.toReversed(), ({ at }) => at, [
          { head: "Check", copied: "at", cell: ({ at }) => ({ shown: moment(at), copied: at }) },
          { head: "Catalog", copied: "catalog", cell: ({ catalog_version }) => catalog_version ?? "" },
          { head: "Winner", copied: "winner", cell: ({ winner }) => (winner === null ? "none" : winnerName(winner)) },
          {
            head: SOUGHT[sought].replace(/^./, (first) => first.toUpperCase()),
            copied: column,
            number: true,
            cell: ({ winner }) => valueCell(winner && numberOf(winner, sought), sought),
          },
          { head: "Told", copied: "told", cell: (check) => (check.told ? "yes" : "no") },
          { head: "Problem", copied: "problem", cell: ({ problem }) => problem ?? "" },
        ])
      }
      label={`${title}, of “${planName}”: ${caption}`}
      figure={watchFigure({ steps: stepsOf(checks, sought), band, unit: sought === "time" ? "s" : "USD" })}
    />
  );
}

function lastWords(last: PlanWatch["checks"][number] | undefined, sought: Objective): string {
  return last === undefined ? "none yet" : `${moment(last.at)}: ${foundWords(last, sought)}`;
}

function valueCell(value: number | null, sought: Objective) {
  return value === null ? { shown: "", copied: "" } : { shown: amount(value, sought), copied: value };
}
