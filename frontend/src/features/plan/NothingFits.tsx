import { Button, Stack } from "@mantine/core";
import type { NearMissAnswer, PlanAnswer, RejectionAnswer } from "@/api/generated";
import { count, counted } from "@/lib/wording";
import type { AnswerProps } from "./Answer";

const OF_THE_USER: Partial<Record<RejectionAnswer["limit"], string>> = {
  "max nodes": "the number of nodes",
  deadline: "the deadline",
  budget: "the budget",
};

interface NothingFitsProps {
  answer: PlanAnswer;
  onChange: AnswerProps["onChange"];
}

/** What stands in the way when nothing is ranked, and what would help. */
export function NothingFits({ answer, onChange }: NothingFitsProps) {
  const largest = answer.rejected[0];
  const own = answer.rejected.find((rejection) => rejection.limit in OF_THE_USER);
  return (
    <section className="card" aria-label="Nothing fits" data-testid="nothing-fits">
      <h2 style={{ margin: 0, fontSize: "var(--mantine-font-size-md)" }}>Nothing fits</h2>
      {largest !== undefined && (
        <p>
          Most candidates are excluded because {largest.reason}: {count(largest.count)} of {count(answer.candidates)}.
          {own !== undefined && own !== largest && (
            <>
              {" "}
              Of your limits, {OF_THE_USER[own.limit]} excludes most: {counted(own.count, "candidate")}.
            </>
          )}
        </p>
      )}
      {answer.near_misses.length > 0 && (
        <>
          <h3 style={{ margin: "12px 0 4px", fontSize: "var(--mantine-font-size-sm)" }}>What comes nearest</h3>
          <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: "none" }}>
            {answer.near_misses.map((miss) => (
              <li key={miss.sentence}>
                <span>{miss.sentence}</span>{" "}
                {onChange !== undefined && Object.keys(miss.needs).length > 0 && (
                  <Button
                    className="wrapping"
                    size="compact-sm"
                    variant="default"
                    onClick={() => onChange(relaxed(miss))}
                  >
                    Allow {miss.relaxation}
                  </Button>
                )}
              </li>
            ))}
          </Stack>
        </>
      )}
    </section>
  );
}

function relaxed({ needs }: NearMissAnswer): Partial<Record<"deadline" | "budget" | "nodes", string>> {
  return {
    ...(needs["deadline"] === undefined ? {} : { deadline: needs["deadline"] }),
    ...(needs["budget"] === undefined ? {} : { budget: needs["budget"] }),
    ...(needs["max_nodes"] === undefined ? {} : { nodes: needs["max_nodes"] }),
  };
}
