import { Button, CopyButton, Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { chance, day } from "@/lib/wording";
import { Value } from "@/ui/Value";
import classes from "./AnswerHead.module.css";
import { lossWords } from "./loss";

interface AnswerHeadProps {
  answer: PlanAnswer;
  actions: ReactNode;
  onDetails: (() => void) | undefined;
}

/** The answer in a sentence, what is certain about it, and what it rests on. */
export function AnswerHead({ answer, actions, onDetails }: AnswerHeadProps) {
  const first = answer.configurations[0];
  return (
    <section className="card" aria-label="Answer">
      <h2 className={classes.sentence} data-testid="sentence">
        {answer.sentence}
      </h2>
      <ul className={classes.facts}>
        {first !== undefined && <FirstFacts first={first} />}
        <li>
          catalogue {answer.catalogue_version} of {day(answer.catalogue_as_of)}, model {answer.model_version}
        </li>
      </ul>
      <Group gap="xs" mt="sm" className="no-print">
        <CopyButton value={answer.sentence}>
          {({ copied, copy }) => (
            <Button variant="default" size="compact-sm" onClick={copy}>
              {copied ? "Copied" : "Copy sentence"}
            </Button>
          )}
        </CopyButton>
        {onDetails !== undefined && (
          <Button variant="default" size="compact-sm" onClick={onDetails}>
            What it rests on
          </Button>
        )}
        {actions}
      </Group>
    </section>
  );
}

function FirstFacts({ first }: { first: RankedAnswer }) {
  const measured = first.provenance.flatMap((figure) =>
    figure.kind === "measured" && figure.as_of !== null ? [figure.as_of] : [],
  );
  const last = measured.sort().at(-1);
  return (
    <>
      {first.meets_deadline !== null && (
        <li>
          chance to meet the deadline:{" "}
          <strong>
            <Value text={chance(first.meets_deadline)} exact={first.meets_deadline * 100} unit="%" />
          </strong>
        </li>
      )}
      {first.meets_budget !== null && (
        <li>
          chance to keep to the budget:{" "}
          <strong>
            <Value text={chance(first.meets_budget)} exact={first.meets_budget * 100} unit="%" />
          </strong>
        </li>
      )}
      <li>{lossWords(first)}</li>
      <li>{last === undefined ? "nothing measured, only estimated" : `measured ${last.slice(0, 4)}`}</li>
    </>
  );
}
