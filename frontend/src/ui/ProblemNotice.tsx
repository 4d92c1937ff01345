import { Button } from "@mantine/core";
import { ApiProblem, Unreachable } from "@/api/problem";
import { Notice } from "./Notice";

interface ProblemNoticeProps {
  error: unknown;
  /** What was kept, or what still holds. */
  kept: string;
  onRetry?: () => void;
}

/** What happened, what was kept, what to try. */
export function ProblemNotice({ error, kept, onRetry }: ProblemNoticeProps) {
  const offline = error instanceof Unreachable;
  const title = offline ? "The service cannot be reached." : "The service could not answer.";
  const happened = error instanceof ApiProblem ? error.message : offline ? "Trying again every 5 seconds." : "";
  const reference = error instanceof ApiProblem ? error.reference : null;
  return (
    <Notice tone="bad" title={title}>
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
