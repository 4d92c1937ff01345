import { Button } from "@mantine/core";
import { ApiProblem, Unreachable } from "@/api/problem";
import { Notice } from "./Notice";

interface ProblemNoticeProps {
  error: unknown;
  /** What was kept, or what still holds. */
  kept: string;
  onRetry?: () => void;
}

/** A problem: what happened, what was kept, what to try. */
export function ProblemNotice({ error, kept, onRetry }: ProblemNoticeProps) {
  // That nothing answers is said once, over every page.
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
