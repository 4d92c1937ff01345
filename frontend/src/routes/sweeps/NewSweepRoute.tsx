import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { documentFrom, searchOf } from "@/features/plan/workload/choice";
import { workloadWords } from "@/features/plan/workload/workloadWords";
import { NewSweepPage } from "@/features/sweeps/NewSweepPage";
import { QUANTITIES } from "@/features/sweeps/quantities";
import { axesSearchFrom } from "@/features/sweeps/question";
import { NeedsRole } from "@/routes/layout/NeedsRole";
import { choiceOf } from "./newSweepSearch";

export function NewSweepRoute() {
  const search = useSearch({ from: "/plans/scenarios/new" });
  const navigate = useNavigate({ from: "/plans/scenarios/new" });
  const choice = choiceOf(search);
  if (!useMay("plans.write")) return <NeedsRole to="start a sweep" needs="planner" />;
  return (
    <NewSweepPage
      base={documentFrom(choice)}
      baseWords={(varied) =>
        workloadWords(
          choice,
          varied.map((quantity) => QUANTITIES[quantity].field),
        )
      }
      search={axesSearchFrom(search)}
      onSearch={(axes) =>
        void navigate({ search: { ...searchOf(choice), ...axes }, replace: true, resetScroll: false })
      }
      onStarted={(sweepId) => void navigate({ to: "/plans/scenarios/$sweepId", params: { sweepId }, search: {} })}
      changeBase={
        <Link to="/plans/new" search={searchOf(choice)}>
          Change the workload
        </Link>
      }
    />
  );
}
