"""Deployable exports of a configuration under /api/v1."""

from typing import Annotated

from stowage.api.admission import needs
from stowage.api.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.api.router import ApiRouter
from stowage.api.services import TeamServices
from stowage.usecases import deployments
from stowage.usecases.answers import InfeasibleAnswer
from stowage.usecases.catalogues import stored_knowledge
from stowage.usecases.deployment_answers import DeploymentAnswer, NewDeployment

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("plans.read")]


@router.post("/deployments", responses=NOT_ACCEPTED, tags=["plans"])
def deploy(asked: NewDeployment, services: Reading) -> DeploymentAnswer | InfeasibleAnswer:
    """Write the files that build the cluster of a workload. Nothing is stored."""
    return deployments.deploy(asked, stored_knowledge(services.database, services.org_id))
