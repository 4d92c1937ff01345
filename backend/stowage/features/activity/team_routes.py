"""Route that lists the teams that a request may name, under /api/v1."""

from typing import Annotated

from stowage.features.activity import teams
from stowage.features.activity.teams import TeamAnswer
from stowage.web.admission import needs
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["service"], responses=TEAM_REFUSALS)

Knowing = Annotated[TeamServices, needs("catalog.read")]


@router.get("/teams")
def list_teams(services: Knowing) -> list[TeamAnswer]:
    """List the teams that a request may name: the caller's own team and the example team."""
    return teams.list_teams(services.database, {**services.outside.org_ids, "local": services.org_id})
