import type { SavedPlanAnswer, SavingAnswer } from "@/api/generated";
import { about, threeDigits, usd } from "@/lib/wording";

function sumOf({ three_years_usd, currency }: SavingAnswer): string {
  const sum = usd(three_years_usd);
  return currency === null ? sum : `${sum} (${about(three_years_usd, currency)})`;
}

/** Format the runs on which a sum rests, where the saving's sentence does not state them. */
function ofRuns({ per, runs_per_month: runs }: SavingAnswer): string {
  return per === "run" ? `, ${runs === 1 ? "1 run" : `${threeDigits(runs)} runs`} a month` : "";
}

/** What was asked, as a sentence, and what the answer saves against the baseline that is saved with the plan. */
export function QuestionHead({ question, saving }: Pick<SavedPlanAnswer, "question" | "saving">) {
  return (
    <>
      {question !== "" && (
        <p className="line" data-testid="question">
          {question}
        </p>
      )}
      {saving != null && (
        <p className="line strong" data-testid="saving">
          {saving.sentence}
          {saving.month_usd > 0 && ` Over three years: ${sumOf(saving)} at the same prices and data${ofRuns(saving)}.`}
        </p>
      )}
    </>
  );
}
