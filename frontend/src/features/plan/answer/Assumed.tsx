import { Button } from "@mantine/core";
import type { AssumedAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { valueAt } from "@/features/plan/workload/choice";
import { Disclosure } from "@/ui/Disclosure";
import type { Question } from "./Answer";

interface AssumedProps {
  assumed: readonly AssumedAnswer[];
  document: WorkloadDocument;
  /** Undefined for a saved plan, whose assumptions cannot be changed. */
  question?: Question | undefined;
}

const NO_LIMITS = "No limits assumed: what the question leaves open is not limited.";

/** Assumptions of the answer for unanswered questions, with a switch for all of them. */
export function Assumed({ assumed, document, question }: AssumedProps) {
  const ignored = valueAt(document, "assume.usual") === "ignored";
  if (assumed.length === 0 && !ignored) return null;
  const other = { usual: ignored ? "applied" : "ignored" };
  const button = question && (
    <Button variant="subtle" size="compact-xs" onClick={() => question.change(other, "new entry")}>
      {ignored ? "Apply the usual limits" : "Leave these out"}
    </Button>
  );
  if (assumed.length === 0) {
    return (
      <p className="dim bare">
        {NO_LIMITS} {button}
      </p>
    );
  }
  const words = assumed.map((each) => each.words).join("; ");
  return (
    <div className="dim">
      <p className="bare">
        {ignored ? `${NO_LIMITS} Assumed: ${words}.` : `Assumed: ${words}.`} {button}
      </p>
      <Disclosure summary="Where these come from">
        {() => (
          <ul className="bullets">
            {assumed.map(({ path, words, source, kind, as_of }) => (
              <li key={path}>
                <code>{path}</code>: {words}. {source} ({kind}, {as_of}).
              </li>
            ))}
          </ul>
        )}
      </Disclosure>
    </div>
  );
}
