import { Button } from "@mantine/core";
import type { PlanAnswer } from "@/api/generated";
import type { Choice } from "@/features/plan/workload/choice";
import { count, counted } from "@/lib/wording";
import { dropped, relaxationWords, relaxed, userLimit } from "./relax";

interface NothingFitsProps {
  answer: PlanAnswer;
  /** Undefined for a saved plan, whose limits cannot be relaxed. */
  onChange: ((changes: Partial<Choice>) => void) | undefined;
}

/** Binding limits of an empty ranking, and ways to relax them. */
export function NothingFits({ answer, onChange }: NothingFitsProps) {
  const assumed = (answer.assumed ?? []).map(({ path }) => path);
  const own = answer.rejected.flatMap((rejection) => {
    const limit = userLimit(rejection.limit);
    return limit === undefined ? [] : [{ ...rejection, ...limit }];
  });
  const most = own.reduce<(typeof own)[number] | undefined>(
    (largest, one) => (largest === undefined || one.count > largest.count ? one : largest),
    undefined,
  );
  const others = answer.rejected.filter(({ limit }) => userLimit(limit) === undefined);
  return (
    <section className="card" aria-labelledby="nothing-fits" data-testid="nothing-fits">
      <h2 id="nothing-fits">Nothing fits</h2>
      {most !== undefined && (
        <p className="line">
          {most.name} {most.plural ? "exclude" : "excludes"} the most: {counted(most.count, "candidate")} of{" "}
          {count(answer.candidates)}.
          {onChange !== undefined && (
            <>
              {" "}
              <Button variant="default" size="compact-sm" onClick={() => onChange(dropped(most.fields, assumed))}>
                {most.plural ? "Remove limits" : "Remove limit"}
              </Button>
            </>
          )}
        </p>
      )}
      {own.length > 1 && (
        <ul className="bullets">
          {own
            .filter((one) => one !== most)
            .map((one) => (
              <li key={one.limit}>
                {one.name} {one.plural ? "exclude" : "excludes"} {counted(one.count, "candidate")}.
              </li>
            ))}
        </ul>
      )}
      {others[0] !== undefined && (
        <p className="dim">
          For any limits, {counted(others[0].count, "candidate is", "candidates are")} out because {others[0].reason}.
        </p>
      )}
      {answer.near_misses.length > 0 && (
        <>
          <h3 style={{ marginTop: 12 }}>Closest options</h3>
          <ul className="bare ruled rows">
            {answer.near_misses.map((miss) => (
              <li key={miss.sentence}>
                <span>{miss.sentence}</span>
                {onChange !== undefined && Object.keys(relaxed(miss, assumed)).length > 0 && (
                  <Button
                    className="wrapping"
                    size="compact-sm"
                    variant="default"
                    onClick={() => onChange(relaxed(miss, assumed))}
                  >
                    {relaxationWords(miss)}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
