"""Rankings with and without the own measurements of a team, under /api/v1."""

from typing import Annotated

from fastapi import Query

from stowage.features.calibration import team_knowledge
from stowage.features.catalog import catalogues
from stowage.features.measurements.profile_answers import (
    MeasuredAnswer,
)
from stowage.features.planning import reranking
from stowage.web.admission import needs
from stowage.web.responses import NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.workload_file import WorkloadFile

router = ApiRouter(tags=["profiles"], responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("measurements.read")]
Asking = Annotated[TeamServices, needs("plans.read")]
Named = Annotated[str | None, Query(max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


@router.post("/plans/measured", responses=NOT_ACCEPTED)
def rerank_plan(file: WorkloadFile, services: Asking) -> MeasuredAnswer | None:
    """Return what the team's measurements change in a ranking; null where it has none. Nothing is stored."""
    published = catalogues.published_knowledge(services.database)
    own = team_knowledge.stored_knowledge(services.database, services.org_id)
    return reranking.rerank(file, published, own)
