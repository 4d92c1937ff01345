"""Route of the validation, the comparison of the model with published results."""

from typing import Annotated

from stowage.features.calibration import validation
from stowage.features.calibration.validation import ValidationAnswer
from stowage.web.admission import needs
from stowage.web.responses import TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.knowledge import packaged_knowledge

router = ApiRouter(tags=["service"], responses=TEAM_REFUSALS)

Knowing = Annotated[TeamServices, needs("catalog.read")]


@router.get("/validation")
def read_validation(_services: Knowing) -> ValidationAnswer:
    """Compare every published result with the model's prediction. The answer is the same for every team."""
    return validation.validate(packaged_knowledge)
