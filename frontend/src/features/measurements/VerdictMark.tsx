import type { Reason, Verdict } from "@/api/measurements/measurements";
import classes from "./Measurements.module.css";

const GLYPHS: Record<Verdict, string> = { good: "✓", doubtful: "?", rejected: "✕" };
const WORDS: Record<Verdict, string> = { good: "Good", doubtful: "Doubtful", rejected: "Rejected" };

/** Verdict of a measurement as a word and a symbol. */
export function VerdictMark({ verdict }: { verdict: Verdict }) {
  return (
    <span className={classes.verdict} data-verdict={verdict}>
      <span aria-hidden="true">{GLYPHS[verdict]}</span> {WORDS[verdict]}
    </span>
  );
}

/** Reasons of a verdict, the most important first. */
export function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  const told = reasons.filter(({ verdict }) => verdict !== "good");
  if (told.length === 0) return null;
  return (
    <ul className={`bare ${classes.reasons}`}>
      {told
        .toSorted((a, b) => Number(b.verdict === "rejected") - Number(a.verdict === "rejected"))
        .map(({ code, words }) => (
          <li key={`${code} ${words}`}>{words}</li>
        ))}
    </ul>
  );
}
