import { Button } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { choiceFrom, searchFrom, searchOf } from "@/features/plan/choice";
import { PlanPage } from "@/features/plan/PlanPage";
import { viewFrom } from "@/features/plan/view";

export function PlanRoute() {
  const search = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  return (
    <PlanPage
      search={search}
      onSearch={(change, replace) =>
        void navigate({ search: (before) => change(searchFrom({ ...before })), replace, resetScroll: false })
      }
      onSaved={(planId) => void navigate({ to: "/plans/$planId", params: { planId }, search: viewFrom({ ...search }) })}
      actions={
        <Button
          variant="default"
          size="compact-sm"
          title="Ask this for several sizes, deadlines or copies at once"
          renderRoot={(props) => <Link to="/sweeps/new" search={searchOf(choiceFrom(search))} {...props} />}
        >
          Sweep
        </Button>
      }
    />
  );
}
