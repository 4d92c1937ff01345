"""Explanations under /api/v1."""

from fastapi import APIRouter

from stowage.api.responses import NOT_ACCEPTED
from stowage.api.services import Provided
from stowage.usecases import explanation
from stowage.usecases.catalogues import stored_knowledge
from stowage.usecases.explanation_answers import ExplanationAnswer
from stowage.usecases.workload_file import WorkloadFile

router = APIRouter()


@router.post("/plans/explanation", responses=NOT_ACCEPTED, tags=["plans"])
def explain(file: WorkloadFile, services: Provided) -> ExplanationAnswer:
    """Explain the cluster of a workload beside what a search finds best. Nothing is stored."""
    return explanation.explain_cluster(file, stored_knowledge(services.database))
