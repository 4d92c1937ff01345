import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { SavedPlanAnswer } from "@/api/generated";
import { savedPlan } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { viewOfDecided } from "@/features/plan/saved/decided";
import { choiceFromDocument, type Search, searchOf } from "@/features/plan/workload/choice";
import { PlansPage } from "@/features/plans/PlansPage";
import { WatchMark } from "@/features/planWatches/WatchMark";
import { ExampleTeamLink } from "@/routes/layout/ExampleTeam";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function PlansRoute() {
  const address = useAddress("/plans");
  const navigate = useNavigate({ from: "/plans" });
  const client = useQueryClient();
  const mayAsk = useMay("plans.ask");
  // List entries do not contain the question, so fetch the plan.
  const askAgain = async (id: string) => {
    await navigate({
      to: "/plans/new",
      search: { ...todaysQuestion(await client.ensureQueryData(savedPlan(id))), again: id },
    });
  };
  return (
    <PlansPage
      {...address}
      linkTo={(plan) => (
        <Link to="/plans/$planId" params={{ planId: plan.id }}>
          {plan.name}
        </Link>
      )}
      again={(plan) =>
        mayAsk && (
          <Button variant="subtle" size="compact-xs" onClick={() => void askAgain(plan.id)}>
            Answer it again today
          </Button>
        )
      }
      mark={(plan) => <WatchMark planId={plan.id} />}
      start={
        <Group gap="sm">
          {mayAsk && <ButtonLink to="/plans/new">Plan a 100 TB sort</ButtonLink>}
          <ExampleTeamLink to="/plans">Look at the example team</ExampleTeamLink>
        </Group>
      }
    />
  );
}

/** Return the question and decisions of a saved plan for the plan page, with the latest catalog. */
export function todaysQuestion({ answer, decided }: SavedPlanAnswer): Search {
  const { choice } = choiceFromDocument(answer.workload);
  return { ...searchOf({ ...choice, catalog: "latest" }), ...viewOfDecided(decided, choice) };
}
