import { Button, Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ConfidenceAnswer, PlanAnswer } from "@/api/generated";
import { confidences } from "@/api/planning/explanations";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { moneyOf } from "@/features/plan/configurations/money";
import { shareText } from "@/lib/amounts";
import { chance, count, usd } from "@/lib/wording";
import type { Question } from "./Answer";

/** Each confidence is a search: fetched once the question settles, not at each step of a drag [ms]. */
const REST_MS = 300;

interface OtherConfidencesProps {
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  answer: Pick<PlanAnswer, "limits" | "objective">;
  /** Undefined for a saved plan, whose confidence cannot be changed. */
  question: Question | undefined;
}

/** What other confidences of meeting the deadline save or cost; nothing without a deadline. */
export function OtherConfidences({ answer, document, question }: OtherConfidencesProps) {
  const mayAsk = useMay("plans.ask");
  if (question === undefined || !mayAsk || answer.limits.deadline_s === null) return null;
  return <Offers document={document} question={question} each={moneyOf(answer.objective).each} />;
}

/** What accepting more risk saves, or what the usual confidence costs, each as a button. */
function Offers({ document, question, each }: { document: WorkloadDocument; question: Question; each: string }) {
  const now = JSON.stringify(document);
  const [text] = useDebouncedValue(now, REST_MS);
  const { data, error, isPlaceholderData } = useQuery({
    ...confidences(JSON.parse(text) as WorkloadDocument),
    placeholderData: (before) => before,
  });
  const own = data?.confidence;
  const stale = isPlaceholderData || text !== now;
  if (error !== null) return null;
  // The line's place is kept while it is computed, so that the page below does not move.
  if (data === undefined) return <div style={{ minHeight: 26 }} />;
  if (own == null || data.others.length === 0) return null;
  const saving = data.others.some(({ saves_usd }) => saves_usd > 0);
  return (
    <Group
      gap="4px 8px"
      role="group"
      aria-label="Other confidences"
      className="fades no-print"
      data-stale={stale || undefined}
      aria-busy={stale}
    >
      <span className="dim">
        {saving ? `Instead of ${chance(own)} confidence:` : `At ${chance(own)} confidence the deadline is at risk:`}
      </span>
      {data.others.map((other) => (
        <Button
          key={other.confidence}
          variant="default"
          size="compact-sm"
          className="wrapping"
          title={other.sentence}
          onClick={() => question.change({ chance: shareText(other.confidence) }, "new entry")}
        >
          {words(other, each)}
        </Button>
      ))}
    </Group>
  );
}

function words({ confidence, saves_usd, saves_share, nodes, instance }: ConfidenceAnswer, each: string): string {
  const verb = saves_usd > 0 ? "saves" : "costs";
  const share = `${saves_usd > 0 ? "−" : "+"}${Number(Math.abs(100 * saves_share).toPrecision(2))}%`;
  const money = `${usd(Math.abs(saves_usd))}${each}${saves_usd > 0 ? "" : " more"} (${share})`;
  return `${chance(confidence)} ${verb} ${money}: ${count(nodes)} × ${instance}`;
}
