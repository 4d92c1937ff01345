import { Button } from "@mantine/core";
import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMay } from "@/api/session";
import { choiceFrom, searchFrom, searchOf } from "@/features/plan/choice";
import { OutlookLinks } from "@/features/plan/OutlookLink";
import { PlanPage } from "@/features/plan/PlanPage";
import { viewFrom } from "@/features/plan/view";
import { rememberQuestion } from "./lastQuestion";
import { outlookOf } from "./outlookLinks";

export function PlanRoute() {
  const search = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const mayAsk = useMay("plans.ask");
  const mayWrite = useMay("plans.write");
  useEffect(() => rememberQuestion(search), [search]);
  // Whoever may not plan begins with what others have planned.
  if (!mayAsk) return <Navigate to="/plans" search={{}} replace />;
  return (
    <OutlookLinks value={outlookOf}>
      <PlanPage
        search={search}
        onSearch={(change, replace) =>
          void navigate({ search: (before) => change(searchFrom({ ...before })), replace, resetScroll: false })
        }
        onSaved={(planId) =>
          void navigate({ to: "/plans/$planId", params: { planId }, search: viewFrom({ ...search }) })
        }
        toMeasurements={<Link to="/measurements">What was measured</Link>}
        actions={
          mayWrite && (
            <Button
              variant="default"
              size="compact-sm"
              title="Ask this for several sizes, deadlines or copies at once"
              renderRoot={(props) => <Link to="/sweeps/new" search={searchOf(choiceFrom(search))} {...props} />}
            >
              Sweep
            </Button>
          )
        }
      />
    </OutlookLinks>
  );
}
