import { type RiskName, risk, riskLevel } from "@/lib/wording";

/** Symbol of each level, for readers who cannot tell the colors apart: emptier to fuller, and another shape each. */
const GLYPHS: Record<RiskName, string> = { low: "○", moderate: "◆", high: "▲" };

interface RiskProps {
  /** Probability of meeting the target, 0 to 1. */
  met: number;
  /** The same as shown on hover, with all digits (default: `met`). */
  exact?: number;
  /** Name of the risk, shown when hovering. */
  of?: string;
  /** What is shown beside the level: the risk in percent, or the word risk. */
  as?: "percent" | "word";
}

/** Risk of missing a target, such as a deadline, with its level, named and in its color: `○ 3% low`, or `○ low risk`. */
export function Risk({ met, exact = met, of = "Risk of missing the deadline", as = "percent" }: RiskProps) {
  const level = riskLevel(met);
  return (
    <span
      className="mark"
      data-risk={level}
      style={{ color: `var(--risk-${level})` }}
      title={`${of}: ${100 * (1 - exact)}%`}
    >
      <span aria-hidden="true">{GLYPHS[level]}</span> {as === "word" ? `${level} risk` : `${risk(met)} ${level}`}
    </span>
  );
}
