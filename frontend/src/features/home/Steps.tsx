import type { BegunAnswer } from "@/api/generated";
import { ENOUGH } from "@/ui/FirstStep";
import { Mark } from "@/ui/values/Mark";
import classes from "./HomePage.module.css";

/** First three steps of a team, each with a mark once it is taken. */
export function Steps({ begun }: { begun: BegunAnswer }) {
  const steps = [
    ["Describe a job", ENOUGH, begun.plans > 0],
    [
      "See the answer",
      "The cheapest cluster with its time, cost, risk and bottleneck, and why no other.",
      begun.plans > 0,
    ],
    [
      "Save it with your baseline",
      "Name what runs today, and the plan states what it saves. Benchmark results of your own replace published ones.",
      begun.baselines > 0,
    ],
  ] as const;
  return (
    <ol className={classes.steps}>
      {steps.map(([title, words, isDone], place) => (
        <li key={title}>
          <div className="strong">
            <Mark glyph={isDone ? "✓" : `${place + 1}`} tone={undefined}>
              {title}
              {isDone && <span className="spoken"> (done)</span>}
            </Mark>
          </div>
          <p className="dim line">{words}</p>
        </li>
      ))}
    </ol>
  );
}
