"""What is under /api/v1. Each route calls one use case."""

import time
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

import stowage
from stowage.api.errors import ProblemDetails
from stowage.api.services import Provided
from stowage.usecases import catalogues, planning, plans
from stowage.usecases.answers import (
    CatalogueAnswer,
    InfeasibleAnswer,
    PlanAnswer,
    PlanListAnswer,
    PredictionAnswer,
    SavedPlanAnswer,
)
from stowage.usecases.workload_file import WorkloadFile

Responses = dict[int | str, dict[str, Any]]

NOT_ACCEPTED: Responses = {
    413: {"model": ProblemDetails, "description": "The body is too large"},
    422: {"model": ProblemDetails, "description": "A field is not accepted; `errors` names it"},
}
NOT_FOUND: Responses = {404: {"model": ProblemDetails, "description": "There is no such thing"}}

router = APIRouter()


class HealthAnswer(BaseModel):
    """That the service and its database answer."""

    status: str
    version: str


@router.get("/health", tags=["service"])
def health(services: Provided) -> HealthAnswer:
    """Say whether the service can answer; fails where its database does not."""
    services.database.ping()
    return HealthAnswer(status="ok", version=stowage.__version__)


@router.get("/catalogues", tags=["catalogue"])
def list_catalogues(services: Provided) -> list[CatalogueAnswer]:
    """List the versions of the catalogue, newest first."""
    return catalogues.list_catalogues(services.database, services.org_id)


@router.post("/plans/preview", responses=NOT_ACCEPTED, tags=["plans"])
def preview_plan(file: WorkloadFile, services: Provided) -> PlanAnswer:
    """Rank configurations for a workload. Nothing is stored."""
    source = catalogues.stored_knowledge(services.database, services.org_id)
    return planning.preview_plan(file, source, time.perf_counter)


@router.post("/predictions", responses=NOT_ACCEPTED, tags=["plans"])
def predict(file: WorkloadFile, services: Provided) -> PredictionAnswer | InfeasibleAnswer:
    """Predict a workload on the cluster that it describes. Nothing is stored."""
    source = catalogues.stored_knowledge(services.database, services.org_id)
    return planning.predict_cluster(file, source)


@router.post("/plans", status_code=201, responses=NOT_ACCEPTED, tags=["plans"])
def save_plan(file: WorkloadFile, services: Provided, response: Response) -> SavedPlanAnswer:
    """Rank configurations for a workload and store workload, versions and answer."""
    saved = plans.save_plan(
        services.database, services.org_id, file, plan_id=uuid4(), now=datetime.now(UTC), clock=time.perf_counter
    )
    response.headers["Location"] = f"/api/v1/plans/{saved.id}"
    return saved


@router.get("/plans", responses=NOT_ACCEPTED, tags=["plans"])
def list_plans(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
) -> PlanListAnswer:
    """List saved plans, newest first."""
    return plans.list_plans(services.database, services.org_id, limit=limit, cursor=cursor)


@router.get("/plans/{plan_id}", responses=NOT_FOUND | NOT_ACCEPTED, tags=["plans"])
def read_plan(plan_id: UUID, services: Provided) -> SavedPlanAnswer:
    """Read a saved plan as it was answered."""
    return plans.read_plan(services.database, services.org_id, plan_id)
