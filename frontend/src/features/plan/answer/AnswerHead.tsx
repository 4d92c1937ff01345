import { Button, Group } from "@mantine/core";
import { useInViewport, useMergedRef } from "@mantine/hooks";
import { Fragment, type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import type { Currency, PlanAnswer, RankedAnswer } from "@/api/generated";
import { nodesWords } from "@/features/plan/address/cluster";
import { lossWords } from "@/features/plan/configurations/loss";
import { useDrawnRows, useIsAhead } from "@/features/plan/dragging/dragging";
import {
  chance,
  day,
  duration,
  durationRange,
  rateWords,
  risk,
  riskLevel,
  usd,
  usdRange,
  withAbout,
} from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { Sentence } from "@/ui/Sentence";
import { Termed } from "@/ui/Term";
import { useCurrency } from "@/ui/values/InCurrency";
import { Risk } from "@/ui/values/Risk";
import classes from "./AnswerHead.module.css";
import { measuredFact } from "./measured";

interface AnswerHeadProps {
  answer: PlanAnswer;
  /** What the recommendation saves against the current cluster. */
  saving?: string | undefined;
  /** Why the recommendation is ahead of the second row and the current cluster. */
  why?: string | undefined;
  actions: ReactNode;
  onDetails: (() => void) | undefined;
  /** Changes the initial burst credit; undefined for a saved plan. */
  onCredits?: ((credits: string) => void) | undefined;
}

/** Answer as a sentence, with its confidence and its sources. */
export function AnswerHead({ answer, saving, why, actions, onDetails, onCredits }: AnswerHeadProps) {
  const currency = useCurrency();
  const isAhead = useIsAhead(answer);
  const sentence = withAbout(answer.sentence, costOf(answer), currency);
  const facts = factsOf(answer, currency);
  const said = [saving, sentence].filter(Boolean).join(" ");
  const bursting = answer.configurations[0]?.on_empty != null;
  const { ref: seen, inViewport } = useInViewport();
  const card = useMergedRef(useHeldHeight(isAhead, answer), seen);
  return (
    <section className="card" aria-label="Answer" ref={card}>
      {isAhead ? (
        <DrawnSentence answer={answer} inSight={inViewport} />
      ) : (
        <Sentence as="h2" steady facts={facts.map(shownFact)}>
          {saving !== undefined && <span className={classes.saving}>{saving} </span>}
          {sentence}
        </Sentence>
      )}
      {why !== undefined && (
        // Keeps its place while a limit is dragged: it is about the answer before.
        <p className={classes.why} data-testid="why" style={isAhead ? { visibility: "hidden" } : undefined}>
          {why}
        </p>
      )}
      <Group gap="xs" mt="sm" className="no-print">
        <CopyText
          label="Copy sentence"
          done="The sentence is copied, with its sources."
          text={() => inWords(why === undefined ? said : `${said}\n${why}`, facts)}
        />
        {onDetails !== undefined && (
          <Button variant="default" size="compact-sm" onClick={onDetails}>
            Sources &amp; assumptions
          </Button>
        )}
        {bursting && onCredits !== undefined && (
          <Button
            variant="default"
            size="compact-sm"
            title="The answer lives on burst credit: ask as if there were none at the start"
            onClick={() => onCredits("empty")}
          >
            Rank with empty buckets
          </Button>
        )}
        {actions}
      </Group>
    </section>
  );
}

/** Keep the height of the answer while a limit is dragged: what is below, and may be dragged, must not move. */
function useHeldHeight(isAhead: boolean, answer: PlanAnswer): RefObject<HTMLElement | null> {
  const card = useRef<HTMLElement>(null);
  const height_px = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer has a height of its own
  useLayoutEffect(() => {
    if (card.current === null) return;
    card.current.style.minHeight = isAhead ? `${height_px.current}px` : "";
    if (!isAhead) height_px.current = card.current.offsetHeight;
  }, [isAhead, answer]);
  return card;
}

/** The first row of a look-up as a sentence, which is drawn before the service has answered. */
function DrawnSentence({ answer, inSight }: { answer: PlanAnswer; inSight: boolean }) {
  const [first] = useDrawnRows(answer, inSight);
  if (first === undefined) return null;
  return (
    <Sentence as="h2" steady facts={riskFact(first.meets_deadline).map(shownFact)}>
      {firstRowWords(first, answer.objective)}
    </Sentence>
  );
}

function firstRowWords(first: RankedAnswer, objective: PlanAnswer["objective"]): string {
  const { time_s, cost_usd, cost_always_on_usd: month } = first;
  const time = `${duration(time_s.p50)} (${durationRange(time_s)})`;
  const cluster = `${nodesWords(first)}, ${first.storage_words}`;
  if (objective === "month" && month !== null)
    return `${cluster}: ${usd(month)} a month, always on; a run takes ${time}.`;
  return `${cluster}: ${time} for ${usd(cost_usd.p50)} (${usdRange(cost_usd)}).`;
}

interface Fact {
  name: string;
  figure?: string;
  /** All digits, or all that the fact rests on. */
  exact?: string;
  /** Probability of meeting the deadline, where the fact is the risk of missing it. */
  met?: number;
}

function shownFact({ name, figure, exact, met }: Fact): ReactNode {
  const isExplained = figure === undefined && met === undefined && exact !== undefined;
  return (
    <Fragment key={name}>
      {isExplained ? (
        <span title={exact} className={classes.explained}>
          {name}
        </span>
      ) : (
        <Termed text={name} />
      )}
      {met !== undefined ? (
        <>
          : <Risk met={met} />
        </>
      ) : (
        figure !== undefined && (
          <>
            : <strong title={exact}>{figure}</strong>
          </>
        )
      )}
    </Fragment>
  );
}

function riskFact(met: number | null): Fact[] {
  if (met === null) return [];
  return [{ name: "risk of missing the deadline", figure: `${risk(met)}, ${riskLevel(met)}`, met }];
}

function chanceFact(name: string, probability: number | null): Fact[] {
  return probability === null ? [] : [{ name, figure: chance(probability), exact: `${100 * probability}%` }];
}

/** Cost that the sentence of the answer states [USD]. */
function costOf({ configurations: [first], objective }: PlanAnswer): number {
  const month = objective === "month" ? first?.cost_always_on_usd : null;
  return month ?? first?.cost_usd.p50 ?? Number.NaN;
}

function factsOf(answer: PlanAnswer, currency: Currency | null): Fact[] {
  const first = answer.configurations[0];
  const made = {
    name: `catalog ${answer.catalog_version} of ${day(answer.catalog_as_of)}, model ${answer.model_version}`,
  };
  const terms = answer.price_terms;
  const discounted = [
    ...(terms == null ? [] : [{ name: "price terms", figure: terms.details }]),
    ...(currency === null ? [] : [{ name: rateWords(currency) }]),
  ];
  if (first === undefined) return [...discounted, made];
  const { words, all } = measuredFact(first);
  return [
    ...riskFact(first.meets_deadline),
    ...chanceFact("chance to keep to the budget", first.meets_budget),
    { name: lossWords(first) },
    { name: words, exact: all },
    ...discounted,
    made,
  ];
}

/** Format the sentence for the clipboard, with its chances, dates and software version. */
function inWords(sentence: string, facts: Fact[]): string {
  const words = facts.map(({ name, figure }) => (figure === undefined ? name : `${name}: ${figure}`));
  return `${sentence}\n(Stowage: ${words.join("; ")}.)`;
}
