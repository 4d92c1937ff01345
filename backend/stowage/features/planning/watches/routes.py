"""Routes for watched plans, under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from stowage.features.planning.watches import watches as plan_watches
from stowage.features.planning.watches.schemas import NewPlanWatch, PlanWatchAnswer, PlanWatchListAnswer
from stowage.web.admission import needs
from stowage.web.responses import CONFLICT, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["plans"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("plans.read")]
Writing = Annotated[TeamServices, needs("plans.write")]


@router.get("/plan-watches")
def list_plan_watches(services: Reading) -> PlanWatchListAnswer:
    """List all plans that the team watches, newest first."""
    return plan_watches.list_watches(services.database, services.org_id, now=datetime.now(UTC))


@router.put("/plans/{plan_id}/watch", responses=CONFLICT)
def watch_plan(plan_id: UUID, new: NewPlanWatch, services: Writing) -> PlanWatchAnswer:
    """Start to watch a saved plan, or change the settings of its watch.

    A watched plan is checked periodically with the newest catalog, and changes of its answer are reported to the team.
    """
    return plan_watches.watch(
        services.database,
        services.org_id,
        services.queue,
        plan_id,
        new,
        by=services.actor.name,
        now=datetime.now(UTC),
    )


@router.get("/plans/{plan_id}/watch")
def read_plan_watch(plan_id: UUID, services: Reading) -> PlanWatchAnswer:
    """Return the watch of a saved plan with its last checks.

    The state of the watch is `off` if the plan is not watched.
    """
    return plan_watches.read(services.database, services.org_id, plan_id, now=datetime.now(UTC))


@router.delete("/plans/{plan_id}/watch", status_code=204)
def end_plan_watch(plan_id: UUID, services: Writing) -> None:
    """End the watch of a saved plan.

    The results of its checks are kept, and a new watch continues from them.
    """
    plan_watches.end(services.database, services.org_id, plan_id, now=datetime.now(UTC))


@router.post("/plans/{plan_id}/watch/check", status_code=202, responses=CONFLICT)
def check_plan(plan_id: UUID, services: Writing) -> PlanWatchAnswer:
    """Request an immediate check of a watched plan; `checking` is true until the check is done."""
    return plan_watches.ask_check(services.database, services.org_id, services.queue, plan_id, now=datetime.now(UTC))
