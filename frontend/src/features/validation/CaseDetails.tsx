import { day } from "@/lib/wording";
import type { CaseAnswer } from "./answer";
import classes from "./CasesTable.module.css";
import { errorWords } from "./words";

interface CaseDetailsProps {
  one: CaseAnswer;
  /** Name of the experiment. */
  experiment: string;
}

/** Details of a case: its source, its assumptions, and the reason for its error. */
export function CaseDetails({ one, experiment }: CaseDetailsProps) {
  const { source, source_date, assumptions, reason, left_out } = one;
  return (
    <dl className={`terms wraps ${classes.facts}`}>
      {reason !== null && (
        <div>
          <dt>Why it is off</dt>
          <dd>{reason}</dd>
        </div>
      )}
      <div>
        <dt>Assumed</dt>
        <dd>
          {assumptions.length === 0 ? (
            "Nothing beyond what was published."
          ) : (
            <ul>
              {assumptions.map((assumption) => (
                <li key={assumption}>{assumption}</li>
              ))}
            </ul>
          )}
        </dd>
      </div>
      {left_out !== null && (
        <div>
          <dt>Left out of the fit</dt>
          <dd>
            {errorWords(left_out.row_error_pct)} without this row, {errorWords(left_out.layout_error_pct)} without every
            row of its layout
          </dd>
        </div>
      )}
      <div>
        <dt>Source</dt>
        <dd>
          {source}, {day(source_date)}
        </dd>
      </div>
      <div>
        <dt>Experiment</dt>
        <dd>{experiment}</dd>
      </div>
    </dl>
  );
}
