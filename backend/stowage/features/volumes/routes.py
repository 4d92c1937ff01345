"""Route of the volume designer under /api/v1."""

from typing import Annotated

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.volumes import volumes
from stowage.features.volumes.need import VolumeNeed
from stowage.features.volumes.schemas import VolumeDesignAnswer
from stowage.web.admission import needs
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["volumes"], responses=TEAM_REFUSALS)

Knowing = Annotated[TeamServices, needs("catalog.read")]


@router.post("/volumes/design")
def design_volumes(need: VolumeNeed, services: Knowing) -> VolumeDesignAnswer:
    """Find the cheapest EBS volumes of each type that meet the request. Nothing is stored."""
    return volumes.design_volumes(need, stored_knowledge(services.database, services.org_id))
