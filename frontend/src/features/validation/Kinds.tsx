import { lookOf } from "@/charts/figures/predictedActual";
import { PointIcon } from "@/charts/plot/Points";
import { count } from "@/lib/wording";
import { Card } from "@/ui/Card";
import type { ValidationAnswer } from "./answer";
import { KIND_WORDS } from "./kinds";
import { GROUPS, KINDS } from "./search";
import classes from "./ValidationPage.module.css";
import { sizeWords } from "./words";

/** Legend of the marks, with the number of cases and their error. */
export function Kinds({ summary }: { summary: ValidationAnswer["summary"] }) {
  return (
    <Card id="kinds" title="What the marks mean">
      <p className="dim" style={{ margin: "0 0 4px" }}>
        Beside each meaning: how many figures there are, and how far off they are in the median.
      </p>
      <dl className={classes.kinds}>
        {KINDS.map((kind) => {
          const { meaning, mark } = KIND_WORDS[kind];
          return (
            <div key={kind}>
              <dt>
                <PointIcon {...lookOf(kind, "job time")} /> {kind}
              </dt>
              <dd>
                {meaning} <span className="spoken">({mark} marks)</span>
                <span className="dim small" style={{ lineHeight: 1.75 }}>
                  {groupWords(summary[kind] ?? {}, kind !== "context").join(" · ")}
                </span>
              </dd>
            </div>
          );
        })}
      </dl>
    </Card>
  );
}

/** Describe each group with cases: `12 job times, 4.1% in the median`. */
function groupWords(groups: ValidationAnswer["summary"][string], held: boolean): string[] {
  return GROUPS.flatMap((group) => {
    const errors = groups[group];
    if (errors === undefined || errors.count === 0) return [];
    const number = `${group}: ${count(errors.count)}`;
    const { median_abs_error_pct: median } = errors;
    return [held && median !== null ? `${number}, off by ${sizeWords(median)}` : number];
  });
}
