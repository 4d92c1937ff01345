import { Skeleton, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SavedPlanAnswer, SweepAnswer } from "@/api/generated";
import { shared } from "@/api/grants";
import { ApiProblem } from "@/api/problem";
import { day, moment } from "@/lib/wording";
import { ProblemNotice } from "@/ui/ProblemNotice";
import classes from "./Shared.module.css";

interface SharedPageProps {
  secret: string;
  plan: (plan: SavedPlanAnswer) => ReactNode;
  sweep: (sweep: SweepAnswer) => ReactNode;
  /** Shown where the link shows nothing, or nothing any more. */
  missing: ReactNode;
}

/** What a share link shows: one plan or one sweep, to read, with no way from here to anything else. */
export function SharedPage({ secret, plan, sweep, missing }: SharedPageProps) {
  const query = useQuery(shared(secret));
  const object = query.data?.plan ?? query.data?.sweep ?? null;
  useDocumentTitle(`${object?.name ?? "Shared"} · Stowage`);
  if (query.error instanceof ApiProblem && [404, 422].includes(query.error.status)) return missing;
  if (query.data === undefined || object === null) {
    return (
      <div className={classes.page}>
        <h1 className="spoken">Shared</h1>
        {query.error === null ? (
          <Stack gap="md" role="status" aria-label="Reading what is shared">
            <Skeleton height={32} width={320} />
            <Skeleton height={320} />
          </Stack>
        ) : (
          <ProblemNotice error={query.error} kept="What is shared is kept." onRetry={() => void query.refetch()} />
        )}
      </div>
    );
  }
  return (
    <div className={classes.page}>
      <div>
        <h1 className={classes.name}>{object.name}</h1>
        <p className={classes.when}>
          {query.data.kind === "plan" ? "A plan" : "A sweep"} of {moment(object.created_at)}, shared to read until{" "}
          {day(query.data.expires_at)}.
        </p>
      </div>
      {query.data.plan !== null && plan(query.data.plan)}
      {query.data.sweep !== null && sweep(query.data.sweep)}
    </div>
  );
}
