import { useNavigate, useSearch } from "@tanstack/react-router";
import { PlanPage } from "@/features/plan/PlanPage";

export function PlanRoute() {
  const search = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  return (
    <PlanPage
      search={search}
      onSearch={(change, replace) => void navigate({ search: change, replace, resetScroll: false })}
      onSaved={(planId) => void navigate({ to: "/plans/$planId", params: { planId } })}
    />
  );
}
