"""Deployable exports of a configuration under /api/v1."""

from typing import Annotated

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning.deployment import deployments
from stowage.features.planning.deployment.schemas import DeploymentAnswer, NewDeployment
from stowage.web.admission import needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.answers import InfeasibleAnswer

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("plans.read")]


@router.post("/deployments", responses=NOT_ACCEPTED, tags=["plans"])
def deploy(asked: NewDeployment, services: Reading) -> DeploymentAnswer | InfeasibleAnswer:
    """Write the files that build the cluster of a workload. Nothing is stored."""
    return deployments.deploy(asked, stored_knowledge(services.database, services.org_id))
