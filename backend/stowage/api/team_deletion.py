"""Route for the deletion of a team.

The deletion is refused while resources of the team run in an AWS account.
"""

from datetime import UTC, datetime
from typing import Annotated

from stowage.features.benchmarks import runs
from stowage.features.teams import members
from stowage.features.teams.schemas import (
    TeamDeletion,
)
from stowage.web.admission import needs
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["team"])

Owning = Annotated[TeamServices, needs("team.write")]
REFUSALS = NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN


@router.delete("/team", status_code=204, responses=REFUSALS | CONFLICT)
def delete_team(deletion: TeamDeletion, services: Owning) -> None:
    """Delete the team and all its data permanently."""
    members.delete_team(
        services.database,
        services.gate,
        services.org_id,
        deletion.name,
        by=services.asker.person_id,
        now=datetime.now(UTC),
        check=runs.demand_nothing_runs,
    )
