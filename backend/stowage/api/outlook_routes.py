"""Cost over time under /api/v1."""

from typing import Annotated

from stowage.api.admission import needs
from stowage.api.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.api.router import ApiRouter
from stowage.api.services import TeamServices
from stowage.usecases import outlooks
from stowage.usecases.answers import InfeasibleAnswer
from stowage.usecases.catalogues import stored_knowledge
from stowage.usecases.outlook_answers import NewOutlook, OutlookAnswer

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Asking = Annotated[TeamServices, needs("plans.ask")]


@router.post("/outlooks", responses=NOT_ACCEPTED, tags=["plans"])
def look_ahead(asked: NewOutlook, services: Asking) -> OutlookAnswer | InfeasibleAnswer:
    """Look ahead at what the cluster of a workload costs, by month and by way to pay. Nothing is stored."""
    return outlooks.look_ahead(asked, stored_knowledge(services.database, services.org_id))
