import { Skeleton, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from "react";
import type { PlanAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import classes from "./Answer.module.css";
import { AnswerHead } from "./AnswerHead";
import { ChartCard, preloadChart } from "./ChartCard";
import { clusterKey } from "./cluster";
import { NetworkNotices } from "./NetworkNotices";
import { NothingFits } from "./NothingFits";
import { RankedTable } from "./RankedTable";
import { Rejections } from "./Rejections";
import { useChosen } from "./useChosen";

const Details = lazy(() => import("./Details").then((module) => ({ default: module.DetailsPanel })));

export interface AnswerProps {
  answer: PlanAnswer;
  /** What was asked, with the catalogue that answered. */
  document: WorkloadDocument;
  /** False while the answer belongs to an earlier input. */
  current: boolean;
  row: string | undefined;
  scale: "log" | "linear";
  onRow: (row: string | undefined) => void;
  onScale: (scale: "log" | "linear") => void;
  /** Changes what is asked; a saved plan cannot be changed. */
  onChange?: (changes: Partial<Record<"deadline" | "budget" | "nodes" | "network", string>>) => void;
  actions: ReactNode;
}

/** The answer to a plan: sentence, chart, ranking, and the details of what was picked. */
export function Answer(props: AnswerProps) {
  const { answer, document, row, scale, onRow, onScale, onChange } = props;
  const chosen = useChosen(answer, document, row);
  const first = answer.configurations[0];
  const docked = useMediaQuery("(min-width: 90em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const rowKeys = useMemo(() => answer.configurations.map(clusterKey), [answer]);
  return (
    <div className={classes.answer} data-docked={(docked && row !== undefined) || undefined}>
      <Stack gap="md" className={classes.main} data-stale={!props.current || undefined}>
        <AnswerHead
          answer={answer}
          actions={props.actions}
          onDetails={first === undefined ? undefined : () => onRow(clusterKey(first))}
        />
        <NetworkNotices
          answer={answer}
          unlimited={networkOf(document) === "unlimited"}
          onNetwork={onChange === undefined ? undefined : (network) => onChange({ network })}
        />
        {first === undefined ? (
          <NothingFits answer={answer} onChange={onChange} />
        ) : (
          <>
            <ChartCard answer={answer} chosen={chosen.point} scale={scale} onScale={onScale} onPick={onRow} />
            <RankedTable rows={answer.configurations} chosen={row ?? rowKeys[0]} open={row} onPick={onRow} />
          </>
        )}
        <Rejections answer={answer} />
      </Stack>
      {row !== undefined && (
        <Suspense fallback={docked ? <Skeleton height={400} /> : null}>
          <Details chosen={chosen} docked={docked} onClose={() => onRow(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

function networkOf(document: WorkloadDocument): unknown {
  const assume = document["assume"];
  return typeof assume === "object" && assume !== null ? (assume as Record<string, unknown>)["network"] : undefined;
}

/** The shape of an answer while the first one is computed. */
export function AnswerSkeleton() {
  useEffect(preloadChart, []);
  return (
    <Stack gap="md" role="status" aria-label="Computing the first answer">
      <div className="card">
        <Skeleton height={22} width="90%" mb="xs" />
        <Skeleton height={22} width="50%" mb="md" />
        <Skeleton height={14} width="70%" />
      </div>
      <div className="card">
        <Skeleton height={16} width={180} mb="md" />
        <Skeleton height={360} />
      </div>
      <div className="card">
        {[1, 2, 3].map((line) => (
          <Skeleton key={line} height={28} mb="sm" />
        ))}
      </div>
    </Stack>
  );
}
