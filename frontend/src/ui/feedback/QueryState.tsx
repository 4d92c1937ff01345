import { Skeleton, Stack } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import { isMissing } from "@/api/problem";
import { ProblemNotice } from "./ProblemNotice";

interface LoadingProps {
  /** Announcement for screen readers: `Reading the run`. */
  label: string;
  /** Heights of the parts that are still to come [px]. */
  heights: readonly number[];
  gap?: "xs" | "sm" | "md";
}

/** Placeholder while something is read. */
export function Loading({ label, heights, gap = "md" }: LoadingProps) {
  const [only, ...others] = heights;
  if (only !== undefined && others.length === 0) return <Skeleton height={only} role="status" aria-label={label} />;
  return (
    <Stack gap={gap} role="status" aria-label={label}>
      {heights.map((height, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a placeholder do not move
        <Skeleton key={place} height={height} />
      ))}
    </Stack>
  );
}

interface QueryStateProps {
  query: { data: unknown; error: unknown; isPending: boolean; refetch: () => Promise<unknown> };
  /** Shown with an error: data that was kept. */
  kept: string;
  /** The same if earlier data are shown below (default: `kept`). */
  stale?: string;
  /** Placeholder while pending: an announcement and the heights of its parts, or an element. */
  loading?: string;
  heights?: readonly number[];
  gap?: LoadingProps["gap"];
  placeholder?: ReactNode;
}

/** Error of a query with a button to retry, or its placeholder while pending. */
export function QueryState({
  query,
  kept,
  stale = kept,
  loading,
  heights = [],
  gap = "md",
  placeholder,
}: QueryStateProps) {
  return (
    <>
      {query.error !== null && (
        <ProblemNotice
          error={query.error}
          kept={query.data === undefined ? kept : stale}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending &&
        (loading === undefined ? placeholder : <Loading label={loading} heights={heights} gap={gap} />)}
    </>
  );
}

export interface UnreadProps extends QueryStateProps {
  /** Heading: of the failed page if `titleClass` is set, otherwise for screen readers only. */
  title: string;
  titleClass?: string;
  /** Content if the object does not exist. */
  missing: ReactNode;
  className?: string;
  style?: CSSProperties;
}

/** Page whose object was not read: pending, failed or missing. */
export function Unread({ title, titleClass = "spoken", missing, className, style, ...state }: UnreadProps) {
  if (isMissing(state.query.error)) return missing;
  return (
    <div className={className} style={style}>
      <h1 className={state.query.error === null ? "spoken" : titleClass}>{title}</h1>
      <QueryState {...state} />
    </div>
  );
}
