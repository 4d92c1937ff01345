import { hasEnded, type Run } from "@/api/runs/runs";
import { moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { sentence } from "@/ui/feedback/Refusal";

type Kind = NonNullable<Run["trouble"]>["kind"];

const TITLES: Record<Kind, string> = {
  capacity: "AWS has no room for it there now.",
  quota: "The account may not have more of it.",
  throttled: "AWS asks for patience.",
  denied: "The role may not do it.",
  unreachable: "AWS does not answer.",
  invalid: "AWS does not take the request.",
  interrupted: "AWS took a node back.",
};

/** Obstacle of a run in progress. */
export function Trouble({ run }: { run: Run }) {
  const { trouble } = run;
  if (trouble === null || hasEnded(run)) return null;
  return (
    <Notice tone="warn" title={TITLES[trouble.kind]}>
      <p className="line">
        {sentence(trouble.words)} <span className="dim">{times(trouble)}</span>
      </p>
    </Notice>
  );
}

function times({ times: count, since }: NonNullable<Run["trouble"]>): string {
  return count < 2
    ? `At ${moment(since)}; it is tried again.`
    : `${count} times since ${moment(since)}; it is tried again.`;
}
