import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMay } from "@/api/teams/session";
import { viewFrom } from "@/features/plan/address/view";
import { OutlookLinks } from "@/features/plan/details/OutlookLink";
import { PlanPage } from "@/features/plan/PlanPage";
import { choiceFrom, searchFrom, searchOf } from "@/features/plan/workload/choice";
import { workloadWords } from "@/features/plan/workload/workloadWords";
import { NeedsRole } from "@/routes/layout/NeedsRole";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { rememberQuestion } from "./lastQuestion";
import { outlookOf } from "./outlookLinks";

export function PlanRoute() {
  const search = useSearch({ from: "/plans/new" });
  const navigate = useNavigate({ from: "/plans/new" });
  const mayAsk = useMay("plans.ask");
  const mayWrite = useMay("plans.write");
  useEffect(() => rememberQuestion(search), [search]);
  if (!mayAsk) {
    const asked = searchOf(choiceFrom(search));
    // Viewers start with the saved plans; links to a question explain why it is not answered.
    if (Object.keys(viewFrom({ ...search })).length + Object.keys(asked).length === 0) {
      return <Navigate to="/plans" search={{}} replace />;
    }
    return (
      <NeedsRole
        to="rank configurations"
        needs="planner"
        asked={
          <p>The link asks: {workloadWords(choiceFrom(search)).join(", ")}. Its sender can save the plan for you.</p>
        }
      />
    );
  }
  return (
    <OutlookLinks value={outlookOf}>
      <PlanPage
        search={search}
        onSearch={(change, replace) =>
          void navigate({ search: (before) => change(searchFrom({ ...before })), replace, resetScroll: false })
        }
        onSaved={(planId) =>
          void navigate({
            to: "/plans/$planId",
            params: { planId },
            // The saved plan contains these fields.
            search: viewFrom({ ...search, today: undefined, pins: undefined, durabilities: undefined }),
          })
        }
        toMeasurements={<Link to="/benchmarks">What was measured</Link>}
        actions={
          mayWrite && (
            <ButtonLink
              to="/plans/scenarios/new"
              search={searchOf(choiceFrom(search))}
              variant="default"
              size="compact-sm"
              title="Ask this for several sizes, deadlines or copies at once"
            >
              Sweep
            </ButtonLink>
          )
        }
      />
    </OutlookLinks>
  );
}
