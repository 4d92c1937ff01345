import { useQuery } from "@tanstack/react-query";
import type { PlanAnswer } from "@/api/generated";
import { savedPlan } from "@/api/queries";
import { clusterName } from "@/features/plan/address/cluster";
import { percentWords } from "@/features/plan/configurations/difference";
import { moneyOf } from "@/features/plan/configurations/money";
import { day, duration, usd } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";

interface AnsweredAgainProps {
  /** Saved plan whose question is answered again. */
  planId: string;
  /** Answer to the question as it is now. */
  answer: PlanAnswer;
}

/** Name of the saved plan, with its winner then and the winner now. */
export function AnsweredAgain({ planId, answer }: AnsweredAgainProps) {
  const { data: saved } = useQuery(savedPlan(planId));
  if (saved === undefined) return null;
  return (
    <Notice tone="plain">
      <span data-testid="answered-again">
        “{saved.name}” answered again. On {day(saved.created_at)}: {winnerWords(saved.answer)}. Now:{" "}
        {winnerWords(answer)}
        {changeWords(saved.answer, answer)}.
      </span>
    </Notice>
  );
}

function winnerWords({ configurations: [first], objective }: PlanAnswer): string {
  if (first === undefined) return "nothing within the limits";
  const { range, each } = moneyOf(objective);
  return `${clusterName(first)}, ${usd(range(first).p50)}${each}, ${duration(first.time_s.p50)}`;
}

/** Format the change of the cost: ` (+7.6% cost)`. */
function changeWords(then: PlanAnswer, now: PlanAnswer): string {
  const [was, is] = [then.configurations[0], now.configurations[0]];
  if (was === undefined || is === undefined || then.objective !== now.objective) return "";
  const { range, word } = moneyOf(now.objective);
  const change = percentWords(range(is).p50, range(was).p50);
  return change === "same" ? `: the same ${word}` : ` (${change} ${word})`;
}
