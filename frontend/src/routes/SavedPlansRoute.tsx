import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { SavedPlansPage } from "@/features/plan/SavedPlansPage";

export function SavedPlansRoute() {
  return (
    <SavedPlansPage
      linkTo={(plan) => (
        <Link to="/plans/$planId" params={{ planId: plan.id }}>
          {plan.name}
        </Link>
      )}
      start={<Button renderRoot={(props) => <Link to="/" {...props} />}>Plan a 100 TB sort</Button>}
    />
  );
}
