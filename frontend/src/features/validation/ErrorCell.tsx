import { Value } from "@/ui/values/Value";
import type { CaseAnswer } from "./answer";
import classes from "./CasesTable.module.css";
import { BAND_PCT, isMiss } from "./cases";
import { errorWords, inequalityWords } from "./words";

/** Error at the end of the bar [%]; larger errors appear as figures only. */
const FULL_PCT = 50;

/** Error of a case as a figure and a bar to either side, or the result of an inequality. */
export function ErrorCell({ one }: { one: CaseAnswer }) {
  const inequality = inequalityWords(one);
  if (inequality !== null) return <span className={classes.inequality}>{inequality}</span>;
  if (one.error_pct === null) {
    return (
      <span className="dim" title="There are no two figures to compare">
        —
      </span>
    );
  }
  return (
    <span className={classes.error} data-miss={isMiss(one) || undefined}>
      <Value text={errorWords(one.error_pct)} exact={one.error_pct} unit="%" />
      <ErrorBar error_pct={one.error_pct} />
    </span>
  );
}

function ErrorBar({ error_pct }: { error_pct: number }) {
  const half = Math.min(FULL_PCT, Math.abs(error_pct)) / FULL_PCT;
  const left = error_pct < 0 ? 0.5 - half / 2 : 0.5;
  const tick = (BAND_PCT / FULL_PCT) * 50;
  return (
    <svg className={classes.bar} width="72" height="8" aria-hidden="true">
      <rect className={classes.track} width="100%" height="8" rx="2" />
      <rect className={classes.band} x={`${50 - tick}%`} width={`${2 * tick}%`} height="8" />
      <rect className={classes.fill} x={`${100 * left}%`} width={`${50 * half}%`} height="8" />
      <line className={classes.zero} x1="50%" x2="50%" y1="0" y2="8" />
    </svg>
  );
}
