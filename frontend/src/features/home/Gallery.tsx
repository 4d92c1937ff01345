import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { ExampleAnswer, ExampleSummary } from "@/api/generated";
import { exampleAnswer, gallery } from "@/api/home";
import { MiniFrontier } from "@/charts/costTime/MiniFrontier";
import { day, duration, usd } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import classes from "./HomePage.module.css";

type LinkTo = (example: ExampleSummary) => ReactNode;

/** Example workloads, each with a picture of its answer. */
export function Gallery({ linkTo }: { linkTo: LinkTo }) {
  const query = useQuery(gallery());
  const examples = query.data?.examples ?? [];
  // One answer after the other, so that the team's other requests do not wait behind ten searches.
  const [answered, setAnswered] = useState(0);
  return (
    <>
      <QueryState query={query} kept="" loading="Reading the examples" heights={[180, 180]} />
      <ul className={`bare ${classes.gallery}`}>
        {examples.map((example, index) => (
          <Example
            key={example.name}
            example={example}
            linkTo={linkTo}
            mayAsk={index <= answered}
            onAnswered={() => setAnswered((before) => Math.max(before, index + 1))}
          />
        ))}
      </ul>
      {examples[0] !== undefined && <Caption first={examples[0]} />}
    </>
  );
}

interface ExampleProps {
  example: ExampleSummary;
  linkTo: LinkTo;
  /** True once the answers of the examples before this one have arrived, or failed. */
  mayAsk: boolean;
  onAnswered: () => void;
}

function Example({ example, linkTo, mayAsk, onAnswered }: ExampleProps) {
  const { data, isFetched, isError } = useQuery({ ...exampleAnswer(example.name), enabled: mayAsk });
  useEffect(() => {
    if (isFetched) onAnswered();
  }, [isFetched, onAnswered]);
  return (
    <li className={classes.example}>
      {data === undefined && !isError && <Skeleton height={96} animate={mayAsk} />}
      {data !== undefined && (
        <MiniFrontier {...data} label={`${example.title}: cost against time of the best configurations`} />
      )}
      <div className="strong">{linkTo(example)}</div>
      <div className="small">{example.sentence}</div>
      {data !== undefined && <div className="dim small">{answerWords(data)}</div>}
    </li>
  );
}

/** Say what the pictures show and what they were predicted with, as the first answer states it. */
function Caption({ first }: { first: ExampleSummary }) {
  const { data } = useQuery({ ...exampleAnswer(first.name), enabled: false });
  if (data === undefined) return null;
  return (
    <p className="dim small line">
      Cost (up) against time (right), both logarithmic: the Pareto frontier, the recommended configuration (ring) and
      the deadline (dashed). Predicted with catalog {data.catalog_version}, prices of {day(data.catalog_as_of)}.
    </p>
  );
}

function answerWords({ configuration, chosen, per }: ExampleAnswer): string {
  if (configuration === null || chosen === null) return "No configuration meets the limits.";
  return `${configuration}: ${duration(chosen.time_s)} a run, ${usd(chosen.usd)} a ${per}`;
}
