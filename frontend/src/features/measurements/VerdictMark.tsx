import type { Reason, Verdict } from "@/api/measurements/measurements";
import { Mark, type Tone } from "@/ui/values/Mark";

const MARKS: Record<Verdict, readonly [glyph: string, words: string, tone?: Tone]> = {
  good: ["✓", "Good"],
  doubtful: ["?", "Doubtful", "warn"],
  rejected: ["✕", "Rejected", "bad"],
};

/** Verdict of a measurement as a word and a symbol. */
export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const [glyph, words, tone] = MARKS[verdict];
  return (
    <Mark glyph={glyph} tone={tone}>
      {words}
    </Mark>
  );
}

/** Reasons of a verdict, the most important first. */
export function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  const told = reasons.filter(({ verdict }) => verdict !== "good");
  if (told.length === 0) return null;
  return (
    <ul className="bare small lines">
      {told
        .toSorted((a, b) => Number(b.verdict === "rejected") - Number(a.verdict === "rejected"))
        .map(({ code, words }) => (
          <li key={`${code} ${words}`}>{words}</li>
        ))}
    </ul>
  );
}
