import { Link } from "@tanstack/react-router";
import type { Reason, Verdict } from "@/api/measurements/measurements";
import { measuredWords } from "@/lib/measured";
import { Mark, type Tone } from "@/ui/values/Mark";
import { againstWords } from "./profiles/sentences";

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

/** Gap between the measured and the published rates, whatever the verdict is. */
export function AgainstPublished({ reasons }: { reasons: readonly Reason[] }) {
  return reasons
    .filter(({ code }) => code === "against-published")
    .map((reason) => (
      <div key={reason.words} className="small strong">
        {gapWords(reason)}
      </div>
    ));
}

/** `5.5 GB/s: 35.5% below the published 8.53 GB/s`. */
function gapWords({ figures, words }: Reason): string {
  const [measured, published] = ["measured", "published"].map((name) => figures.find((one) => one.name === name));
  if (measured === undefined || published === undefined) return words;
  const gap_pct = 100 * (measured.value / published.value - 1);
  const shown = ({ value, unit }: typeof measured) => measuredWords("", value, unit);
  const gap = Math.abs(gap_pct) < 0.05 ? "as published" : `${againstWords(gap_pct)} the published ${shown(published)}`;
  return `${shown(measured)}: ${gap}`;
}

/** Reasons that a better command avoids. */
const AVOIDABLE = new Set([
  "page-cache",
  "short",
  "few",
  "unsteady",
  "no-warm-up",
  "below-published",
  "above-published",
  "above-disks",
  "above-provisioned",
  "one-stream",
  "loopback",
]);

/** Link to the commands that avoid the mistakes of a doubtful or rejected measurement. */
export function MeasureAgain({ reasons, instance }: { reasons: readonly Reason[]; instance: string | null }) {
  if (!reasons.some(({ code, verdict }) => verdict !== "good" && AVOIDABLE.has(code))) return null;
  return (
    <Link
      to="/benchmarks"
      search={{ tab: "recipes", ...(instance === null ? {} : { instance }) }}
      className="small no-print"
    >
      Command that avoids this
    </Link>
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
