import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ExampleAnswer } from "@/api/generated";
import { gallery } from "@/api/home";
import { MiniFrontier } from "@/charts/costTime/MiniFrontier";
import { day, duration, usd } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import classes from "./HomePage.module.css";

/** Example workloads, each with a picture of its answer. */
export function Gallery({ linkTo }: { linkTo: (example: ExampleAnswer) => ReactNode }) {
  const query = useQuery(gallery());
  const { data } = query;
  return (
    <>
      <QueryState query={query} kept="" loading="Answering the examples" heights={[180, 180]} />
      {data !== undefined && (
        <>
          <ul className={`bare ${classes.gallery}`}>
            {data.examples.map((example) => (
              <li key={example.name} className={classes.example}>
                <MiniFrontier {...example} label={`${example.title}: cost against time of the best configurations`} />
                <div className="strong">{linkTo(example)}</div>
                <div className="small">{example.sentence}</div>
                <div className="dim small">{answerWords(example)}</div>
              </li>
            ))}
          </ul>
          <p className="dim small line">
            Cost (up) against time (right), both logarithmic: the Pareto frontier, the recommended configuration (ring)
            and the deadline (dashed). Predicted with catalog {data.catalog_version}, prices of{" "}
            {day(data.catalog_as_of)}.
          </p>
        </>
      )}
    </>
  );
}

function answerWords({ configuration, chosen, per }: ExampleAnswer): string {
  if (configuration === null || chosen === null) return "No configuration meets the limits.";
  return `${configuration}: ${duration(chosen.time_s)} a run, ${usd(chosen.usd)} a ${per}`;
}
