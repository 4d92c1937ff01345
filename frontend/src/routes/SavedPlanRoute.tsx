import { Button } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { SavedPlanPage } from "@/features/plan/SavedPlanPage";
import { NotFound } from "./NotFound";

export function SavedPlanRoute() {
  const { planId } = useParams({ from: "/plans/$planId" });
  const search = useSearch({ from: "/plans/$planId" });
  const navigate = useNavigate({ from: "/plans/$planId" });
  return (
    <SavedPlanPage
      id={planId}
      search={search}
      onSearch={(next, replace) => void navigate({ search: next, replace, resetScroll: false })}
      openAsNew={(asked) => (
        <Button size="compact-sm" renderRoot={(props) => <Link to="/" search={asked} {...props} />}>
          Open as new plan
        </Button>
      )}
      missing={<NotFound what="There is no such plan, or it belongs to another team." />}
    />
  );
}
