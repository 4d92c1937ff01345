"""Routes of plans, predictions, cost over time and deployments under /api/v1. Each route calls one use case."""

import time
from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4

from fastapi import Path, Query, Response

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.catalog import catalogs
from stowage.features.planning import (
    confidence,
    gallery,
    limits,
    planning,
    plans,
    ranking,
    regions,
    reranking,
)
from stowage.features.planning.confidence import ConfidencesAnswer
from stowage.features.planning.decided import Decided, NewPlan, NewSavingMark
from stowage.features.planning.deployment import deployments
from stowage.features.planning.deployment.schemas import DeploymentAnswer, NewDeployment
from stowage.features.planning.explanation import explanation
from stowage.features.planning.explanation.schemas import ExplanationAnswer
from stowage.features.planning.limits import LimitRowsAnswer, NewLimits
from stowage.features.planning.outlook import outlooks
from stowage.features.planning.outlook.schemas import NewOutlook, OutlookAnswer
from stowage.features.planning.planning import MOST_ROWS
from stowage.features.planning.ranking import RankingAnswer, RankingQuery
from stowage.features.planning.schemas import (
    ExampleAnswer,
    GalleryAnswer,
    MeasuredAnswer,
    PlanListAnswer,
    SavedPlanAnswer,
    SavedPlanColumns,
    TodayAnswer,
)
from stowage.web.admission import needs
from stowage.web.answering import Encoded
from stowage.web.etags import Tag
from stowage.web.parameters import Cursor, OnceOnly, PageLimit, Renaming
from stowage.web.responses import CONFLICT, OVER_QUOTA, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.answers import InfeasibleAnswer, PlanAnswer, PredictionAnswer, RegionsAnswer
from stowage.workloads.columns import CurveColumns, PlanColumns
from stowage.workloads.workload_file import WorkloadFile

router = ApiRouter(responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("plans.read")]
Asking = Annotated[TeamServices, needs("plans.ask")]
Writing = Annotated[TeamServices, needs("plans.write")]


OfRanking = Annotated[RankingQuery, Query()]


@router.post("/plans/preview", responses=OVER_QUOTA, tags=["plans"])
def preview_plan(
    file: WorkloadFile,
    services: Asking,
    sources: Annotated[
        Literal["first", "all"],
        Query(description="Of which configurations to list what their numbers rest on: `first` answers far sooner."),
    ] = "all",
) -> PlanAnswer:
    """Rank configurations for a workload. Nothing is stored."""
    source = stored_knowledge(services.database, services.org_id)
    return planning.preview_plan(file, source, time.perf_counter, sources)


@router.post("/plans/preview/columns", response_model=PlanColumns, responses=OVER_QUOTA, tags=["plans"])
def preview_columns(file: WorkloadFile, services: Asking) -> Encoded:
    """Rank configurations for a workload, in the form that the page draws. Nothing is stored.

    The content is that of the preview with `sources=first`, in a fifth of the bytes: its first 15 rows, fewer points of
    the frontier, and no curves with a deadline or budget (`POST /plans/preview/curves` has those without).
    """
    source = stored_knowledge(services.database, services.org_id)
    return Encoded(planning.preview_columns(file, source, time.perf_counter, for_page=True).encoded)


@router.post("/plans/preview/curves", response_model=CurveColumns, responses=OVER_QUOTA, tags=["plans"])
def preview_curves(file: WorkloadFile, services: Asking) -> Encoded:
    """Return time and cost of the first configurations for a workload by node count. Nothing is stored.

    The preview of a plan has the same curves, but takes longer.
    """
    return Encoded(planning.preview_curves(file, stored_knowledge(services.database, services.org_id)))


@router.post("/plans/preview/ranking", responses=OVER_QUOTA, tags=["plans"])
def preview_ranking(file: WorkloadFile, services: Asking, query: OfRanking) -> RankingAnswer:
    """Return a page of the full ranking for a workload. Nothing is stored.

    The preview of a plan has only the first rows of the ranking.
    """
    source = stored_knowledge(services.database, services.org_id)
    return ranking.page_of(ranking.rank_all(file, source, services.org_id), query)


@router.post("/plans/preview/limits", responses=OVER_QUOTA, tags=["plans"])
def preview_limits(
    asked: NewLimits, services: Annotated[TeamServices, needs("plans.ask", limits.SEARCHES)]
) -> LimitRowsAnswer | None:
    """Return the first rows of the ranking for a workload under every limit of the request. Nothing is stored.

    The answer is null if only a preview for each limit can tell the rows.
    """
    return limits.rows_under_limits(asked, stored_knowledge(services.database, services.org_id))


@router.post("/plans/regions", responses=OVER_QUOTA, tags=["plans"])
def compare_regions(
    file: WorkloadFile, services: Annotated[TeamServices, needs("plans.ask", regions.MOST_SEARCHES)]
) -> RegionsAnswer:
    """Find the best configuration in every region. Nothing is stored."""
    source = stored_knowledge(services.database, services.org_id)
    return regions.compare_regions(file, source, time.perf_counter)


@router.post("/plans/confidences", responses=OVER_QUOTA, tags=["plans"])
def compare_confidences(
    file: WorkloadFile, services: Annotated[TeamServices, needs("plans.ask", confidence.MOST_SEARCHES)]
) -> ConfidencesAnswer:
    """Find what other confidences of meeting the deadline save or cost. Nothing is stored."""
    source = stored_knowledge(services.database, services.org_id)
    return confidence.compare_confidences(file, source, time.perf_counter)


@router.post("/predictions", tags=["plans"])
def predict(file: WorkloadFile, services: Reading) -> PredictionAnswer | InfeasibleAnswer:
    """Predict a workload on the cluster that the workload file describes. Nothing is stored."""
    source = stored_knowledge(services.database, services.org_id)
    return planning.predict_cluster(file, source)


@router.post("/plans", status_code=201, responses=OVER_QUOTA, tags=["plans"])
def save_plan(new: NewPlan, services: Writing, response: Response, key: OnceOnly = None) -> SavedPlanAnswer:
    """Rank configurations for a workload, and store the plan.

    The plan has the workload, the answer, all versions that the answer was computed with, and the decisions about it.
    """
    return _saved(new, services, response, key).in_objects()


@router.post("/plans/columns", status_code=201, response_model=SavedPlanColumns, responses=OVER_QUOTA, tags=["plans"])
def save_plan_columns(new: NewPlan, services: Writing, response: Response, key: OnceOnly = None) -> Encoded:
    """Rank configurations for a workload, and store the plan. The response has the form that the page draws."""
    saved = _saved(new, services, response, key)
    return Encoded(saved.in_columns(saved.head.model_dump_json().encode()))


def _saved(new: NewPlan, services: TeamServices, response: Response, key: UUID | None) -> plans.SavedPlan:
    saved = plans.save_plan(
        services.database,
        services.org_id,
        new.question(),
        decided=new.decided,
        plan_id=key or uuid4(),
        now=datetime.now(UTC),
        clock=time.perf_counter,
    )
    response.headers["Location"] = f"/api/v1/plans/{saved.head.id}"
    return saved


@router.get("/plans", tags=["plans"])
def list_plans(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
    search: Annotated[
        str, Query(max_length=200, description="Words that name, workload, winner or catalog must all hold.")
    ] = "",
) -> PlanListAnswer:
    """List saved plans, newest first."""
    return plans.list_plans(services.database, services.org_id, limit=limit, cursor=cursor, search=search)


@router.get("/gallery", tags=["plans"])
def list_examples(_services: Reading) -> GalleryAnswer:
    """List the example workloads."""
    return gallery.listed()


@router.get("/gallery/{example}", tags=["plans"])
def read_example(example: str, services: Reading) -> ExampleAnswer:
    """Return the answer to an example workload by published measurements and the newest catalog version."""
    return gallery.answered(example, catalogs.published_knowledge(services.database))


@router.get("/plans/{plan_id}/today", responses=CONFLICT, tags=["plans"])
def read_plan_today(plan_id: UUID, services: Reading) -> TodayAnswer:
    """Compute the answer of a saved plan with the newest catalog version, and list the differences."""
    return plans.answer_today(services.database, services.org_id, plan_id, time.perf_counter)


@router.get("/plans/{plan_id}/ranking", tags=["plans"])
def read_plan_ranking(plan_id: UUID, services: Reading, query: OfRanking, tag: Tag) -> RankingAnswer:
    """Return a page of the full ranking of a saved plan.

    The plan's answer has only the first rows of the ranking.
    """
    whole = ranking.rank_saved(services.database, services.org_id, plan_id)
    tag.rests_on(*whole.key, whole.incomplete or "")
    return ranking.page_of(whole, query)


@router.get("/plans/{plan_id}/configurations/{rank}", responses=CONFLICT, tags=["plans"])
def open_plan_row(plan_id: UUID, rank: Annotated[int, Path(ge=1, le=MOST_ROWS)], services: Reading) -> PredictionAnswer:
    """Return the prediction of a row of a saved plan with the sources of its numbers, which equal those of the plan.

    The plan's answer has the sources of its first row only.
    """
    return plans.open_row(services.database, services.org_id, plan_id, rank)


@router.get("/plans/{plan_id}", tags=["plans"])
def read_plan(plan_id: UUID, services: Reading) -> SavedPlanAnswer:
    """Return a saved plan as it was answered."""
    return plans.read_plan(services.database, services.org_id, plan_id)


@router.get("/plans/{plan_id}/columns", response_model=SavedPlanColumns, tags=["plans"])
def read_plan_columns(plan_id: UUID, services: Reading, tag: Tag) -> Encoded:
    """Return a saved plan as it was answered, in the form that the page draws: a fifth of the bytes."""
    saved = plans.open_plan(services.database, services.org_id, plan_id)
    head = saved.head.model_dump_json()
    # The answer of a plan never changes.
    tag.rests_on(head)
    return Encoded(saved.in_columns(head.encode()))


@router.patch("/plans/{plan_id}", tags=["plans"])
def rename_plan(plan_id: UUID, renaming: Renaming, services: Writing) -> SavedPlanAnswer:
    """Rename a plan; its workload and answer do not change."""
    return plans.rename_plan(services.database, services.org_id, plan_id, renaming.name)


@router.put("/plans/{plan_id}/decided", responses=CONFLICT, tags=["plans"])
def decide_plan(plan_id: UUID, decided: Decided, services: Writing) -> SavedPlanAnswer:
    """Replace the current cluster, pins and notes of a plan; the plan's answer does not change."""
    return plans.decide(services.database, services.org_id, plan_id, decided, datetime.now(UTC))


@router.put("/plans/{plan_id}/saving", tags=["plans"])
def mark_saving(plan_id: UUID, asked: NewSavingMark, services: Writing) -> SavedPlanAnswer:
    """Mark the saving of a plan as done or dismissed, or as open to undo that."""
    return plans.mark_saving(
        services.database, services.org_id, plan_id, asked, by=services.actor.name, now=datetime.now(UTC)
    )


@router.post("/plans/{plan_id}/duplicate", status_code=201, responses=OVER_QUOTA, tags=["plans"])
def duplicate_plan(plan_id: UUID, services: Writing, response: Response, key: OnceOnly = None) -> SavedPlanAnswer:
    """Store a copy of a plan."""
    copy = plans.duplicate_plan(
        services.database, services.org_id, plan_id, copy_id=key or uuid4(), now=datetime.now(UTC)
    )
    response.headers["Location"] = f"/api/v1/plans/{copy.id}"
    return copy


@router.delete("/plans/{plan_id}", status_code=204, tags=["plans"])
def delete_plan(plan_id: UUID, services: Writing) -> None:
    """Delete a plan; it can be restored for 30 days."""
    plans.delete_plan(services.database, services.org_id, plan_id, datetime.now(UTC))


@router.post("/plans/{plan_id}/restore", tags=["plans"])
def restore_plan(plan_id: UUID, services: Writing) -> SavedPlanAnswer:
    """Restore a deleted plan."""
    return plans.restore_plan(services.database, services.org_id, plan_id)


@router.post("/plans/explanation", tags=["plans"])
def explain(file: WorkloadFile, services: Reading) -> ExplanationAnswer:
    """Explain the cluster of a workload, compared with the best configuration of a search. Nothing is stored."""
    return explanation.explain_cluster(file, stored_knowledge(services.database, services.org_id))


@router.post("/outlooks", tags=["plans"])
def look_ahead(asked: NewOutlook, services: Asking) -> OutlookAnswer | InfeasibleAnswer:
    """Compute the cost of a workload's cluster over time, by month and purchase option. Nothing is stored."""
    return outlooks.look_ahead(asked, stored_knowledge(services.database, services.org_id))


@router.post("/deployments", tags=["plans"])
def deploy(asked: NewDeployment, services: Reading) -> DeploymentAnswer | InfeasibleAnswer:
    """Return the files that build the cluster of a workload. Nothing is stored."""
    return deployments.deploy(asked, stored_knowledge(services.database, services.org_id))


@router.post("/plans/measured", tags=["profiles"])
def rerank_plan(file: WorkloadFile, services: Reading) -> MeasuredAnswer | None:
    """Compare the rankings for a workload with and without the team's measurements. Nothing is stored.

    The answer is null if the team has no measurements.
    """
    published = catalogs.published_knowledge(services.database)
    own = stored_knowledge(services.database, services.org_id)
    return reranking.rerank(file, published, own)
