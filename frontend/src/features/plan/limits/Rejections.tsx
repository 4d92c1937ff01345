import type { PlanAnswer } from "@/api/generated";
import { count, counted, duration } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Table } from "@/ui/table/Table";

const NAMED = 12;

/** Format a list of names: the first few, and the number of the others. */
function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
}

/** Reasons why the other candidates are not in the ranking. */
export function Rejections({ answer }: { answer: PlanAnswer }) {
  return (
    <section className="card" aria-label="Excluded options">
      <Disclosure summary="Excluded options">
        {() =>
          answer.rejected.length === 0 ? (
            <p>No candidate was excluded: those not shown are slower or dearer than others of their type.</p>
          ) : (
            <div className="scroller" style={{ maxHeight: "none" }}>
              <Table
                rows={answer.rejected}
                keyOf={({ limit, reason }) => `${limit} ${reason}`}
                columns={[
                  { head: "Reason", cell: ({ reason }) => reason },
                  { head: "Candidates", number: true, cell: (rejection) => count(rejection.count) },
                  { head: "Types", cell: ({ instances }) => listed(instances) },
                ]}
              />
            </div>
          )
        }
      </Disclosure>
      <p className="dim small" style={{ margin: "4px 0 0" }}>
        {counted(answer.candidates, "candidate")}, {count(answer.computed)} computed, {count(answer.excluded_by_bound)}{" "}
        excluded without computing, in {duration(answer.elapsed_s)}.
      </p>
    </section>
  );
}
