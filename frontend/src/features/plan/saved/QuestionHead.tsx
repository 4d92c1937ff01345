import type { SavedPlanAnswer } from "@/api/generated";
import { usd } from "@/lib/wording";

/** What was asked, as a sentence, and what the answer saves against the baseline that is saved with the plan. */
export function QuestionHead({ question, saving }: Pick<SavedPlanAnswer, "question" | "saving">) {
  return (
    <>
      <p className="line" data-testid="question">
        {question}
      </p>
      {saving != null && (
        <p className="line strong" data-testid="saving">
          {saving.sentence}
          {saving.month_usd > 0 && ` Over three years: ${usd(saving.three_years_usd)} at the same prices and data.`}
        </p>
      )}
    </>
  );
}
