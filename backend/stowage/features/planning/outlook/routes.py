"""Cost over time under /api/v1."""

from typing import Annotated

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning.outlook import outlooks
from stowage.features.planning.outlook.schemas import NewOutlook, OutlookAnswer
from stowage.web.admission import needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.answers import InfeasibleAnswer

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Asking = Annotated[TeamServices, needs("plans.ask")]


@router.post("/outlooks", responses=NOT_ACCEPTED, tags=["plans"])
def look_ahead(asked: NewOutlook, services: Asking) -> OutlookAnswer | InfeasibleAnswer:
    """Look ahead at what the cluster of a workload costs, by month and by way to pay. Nothing is stored."""
    return outlooks.look_ahead(asked, stored_knowledge(services.database, services.org_id))
