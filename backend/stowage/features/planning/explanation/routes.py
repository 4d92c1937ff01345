"""Explanations under /api/v1."""

from typing import Annotated

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning.explanation import explanation
from stowage.features.planning.explanation.schemas import ExplanationAnswer
from stowage.web.admission import needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.workload_file import WorkloadFile

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("plans.read")]


@router.post("/plans/explanation", responses=NOT_ACCEPTED, tags=["plans"])
def explain(file: WorkloadFile, services: Reading) -> ExplanationAnswer:
    """Explain the cluster of a workload beside what a search finds best. Nothing is stored."""
    return explanation.explain_cluster(file, stored_knowledge(services.database, services.org_id))
