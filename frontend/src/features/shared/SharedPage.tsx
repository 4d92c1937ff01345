import { Skeleton, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SavedPlanAnswer, SharedReportAnswer, SweepAnswer } from "@/api/generated";
import { isMissing } from "@/api/problem";
import { isLocked, shared } from "@/api/teams/grants";
import { day, moment } from "@/lib/wording";
import { Unread } from "@/ui/feedback/QueryState";
import { PasswordQuestion } from "./PasswordQuestion";

interface SharedPageProps {
  secret: string;
  plan: (plan: SavedPlanAnswer) => ReactNode;
  sweep: (sweep: SweepAnswer) => ReactNode;
  /** A report brings its own title. */
  report: (report: SharedReportAnswer, until: string, again: () => void) => ReactNode;
  /** Content if the link is invalid or has expired. */
  missing: ReactNode;
}

/** A plan, sweep or report opened by a share link, without links to other pages. */
export function SharedPage({ secret, plan, sweep, report, missing }: SharedPageProps) {
  const query = useQuery(shared(secret));
  const object = query.data?.plan ?? query.data?.sweep ?? null;
  useDocumentTitle(`${object?.name ?? query.data?.report?.report.title ?? "Shared"} · Stowage`);
  const again = () => void query.refetch();
  if (query.data === undefined && isLocked(query.error)) return <PasswordQuestion secret={secret} onOpen={again} />;
  if (query.data?.report) return report(query.data.report, query.data.expires_at, again);
  if (query.data === undefined || object === null || isMissing(query.error)) {
    return (
      <Unread
        query={query}
        title="Shared"
        className="page"
        kept="What is shared is kept."
        placeholder={
          <Stack gap="md" role="status" aria-label="Reading what is shared">
            <Skeleton height={32} width={320} />
            <Skeleton height={320} />
          </Stack>
        }
        missing={missing}
      />
    );
  }
  return (
    <div className="page">
      <div>
        <h1 className="wraps">{object.name}</h1>
        <p className="dim line">
          {query.data.kind === "plan" ? "A plan" : "A sweep"} of {moment(object.created_at)}, shared to read until{" "}
          {day(query.data.expires_at)}.
        </p>
      </div>
      {query.data.plan !== null && plan(query.data.plan)}
      {query.data.sweep !== null && sweep(query.data.sweep)}
    </div>
  );
}
