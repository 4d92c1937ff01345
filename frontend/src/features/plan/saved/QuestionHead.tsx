import type { SavedPlanAnswer, SavingAnswer } from "@/api/generated";
import { about, usd } from "@/lib/wording";

function sumOf({ three_years_usd, currency }: SavingAnswer): string {
  const sum = usd(three_years_usd);
  return currency === null ? sum : `${sum} (${about(three_years_usd, currency)})`;
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
          {saving.month_usd > 0 && ` Over three years: ${sumOf(saving)} at the same prices and data.`}
        </p>
      )}
    </>
  );
}
