import { Button } from "@mantine/core";
import type { PlanAnswer } from "@/api/generated";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";

interface NetworkNoticesProps {
  answer: PlanAnswer;
  unlimited: boolean;
  onNetwork: ((network: "measured" | "unlimited") => void) | undefined;
}

/** Notice that network measurements are missing, with a button to ignore network limits. */
export function NetworkNotices({ answer, unlimited, onNetwork }: NetworkNoticesProps) {
  if (unlimited) {
    return (
      <Notice tone="warn" title="This answer ignores the network.">
        <p style={{ margin: "2px 0 0" }}>
          It is a best case, not a prediction: every cluster below would be slower where its network limits it.
        </p>
        {onNetwork !== undefined && (
          <Button variant="default" size="compact-sm" mt={8} onClick={() => onNetwork("measured")}>
            Apply network limits again
          </Button>
        )}
      </Notice>
    );
  }
  const unknown = answer.rejected.find((rejection) => rejection.limit === "network bandwidth unknown");
  if (unknown === undefined) return null;
  const [types, verb] = [unknown.instances.length, unknown.instances.length === 1 ? "is" : "are"];
  return (
    <Notice tone="plain">
      <span>
        {counted(types, "type")} {verb} not ranked because {types === 1 ? "its" : "their"} network bandwidth is not
        known.
      </span>{" "}
      {onNetwork !== undefined && (
        <Button variant="default" size="compact-sm" onClick={() => onNetwork("unlimited")}>
          Ignore network limits (best case)
        </Button>
      )}
    </Notice>
  );
}
