import { Button } from "@mantine/core";
import { ApiProblem, Unreachable } from "@/api/problem";
import { Notice } from "./Notice";

interface ProblemNoticeProps {
  error: unknown;
  /** Data that was kept, or results that remain valid. */
  kept: string;
  onRetry?: () => void;
}

/** Render a problem: cause, kept data, and next step. */
export function ProblemNotice({ error, kept, onRetry }: ProblemNoticeProps) {
  // The layout already shows that the service is unreachable.
  if (error instanceof Unreachable) return kept === "" ? null : <Notice tone="plain">{kept}</Notice>;
  const happened = error instanceof ApiProblem ? error.message : "";
  const reference = error instanceof ApiProblem ? error.reference : null;
  return (
    <Notice tone="bad" title="The service could not answer.">
      <p style={{ margin: "4px 0 0" }}>
        {happened} {kept}
        {reference !== null && (
          <>
            {" "}
            Reference <code>{reference}</code>.
          </>
        )}
      </p>
      {onRetry !== undefined && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
