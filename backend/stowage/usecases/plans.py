"""Saved plans: stored with everything that makes them reproducible, and read as they were answered."""

import base64
import binascii
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from stowage.store import plans as store
from stowage.store.database import Database
from stowage.usecases import catalogues, planning
from stowage.usecases.answers import PlanAnswer, PlanListAnswer, PlanSummaryAnswer, SavedPlanAnswer
from stowage.usecases.errors import BadInput, NotFound, Problem
from stowage.usecases.workload_file import WorkloadFile


def save_plan(
    database: Database,
    org_id: UUID,
    file: WorkloadFile,
    *,
    plan_id: UUID,
    now: datetime,
    clock: Callable[[], float],
) -> SavedPlanAnswer:
    """Search, and store the workload with the versions of model, catalogue and profiles and the answer.

    Raises
    ------
    BadInput
        As `planning.preview_plan`; nothing is stored then.
    """
    answer = planning.preview_plan(file, catalogues.stored_knowledge(database, org_id), clock)
    best = answer.configurations[0] if answer.configurations else None
    plan = store.StoredPlan(
        id=plan_id,
        name=file.workload.name or answer.sentence,
        workload=file.written(),
        catalogue_version=answer.catalogue_version,
        profiles_digest=answer.profiles_digest,
        model_version=answer.model_version,
        answer=answer.model_dump(mode="json"),
        best_time_s=None if best is None else best.time_s.p50,
        best_cost_usd=None if best is None else best.cost_usd.p50,
        created_at=now,
    )
    with database.transaction(org_id) as connection:
        store.insert(connection, plan)
    return _saved(plan)


def read_plan(database: Database, org_id: UUID, plan_id: UUID) -> SavedPlanAnswer:
    """Read a plan of the team.

    Raises
    ------
    NotFound
        There is no such plan, or it is another team's.
    """
    with database.transaction(org_id) as connection:
        plan = store.get(connection, plan_id)
    if plan is None:
        raise NotFound(f"There is no plan {plan_id}.")
    return _saved(plan)


def list_plans(database: Database, org_id: UUID, *, limit: int, cursor: str | None) -> PlanListAnswer:
    """List the team's plans, newest first.

    Parameters
    ----------
    limit : int
        Most plans of a page, at least 1.
    cursor : str or None
        From the page before.

    Raises
    ------
    BadInput
        The cursor is not one of ours.
    """
    before = None if cursor is None else _read_cursor(cursor)
    with database.transaction(org_id) as connection:
        rows = store.list_newest(connection, limit=limit + 1, before=before)
    page = rows[:limit]
    return PlanListAnswer(
        plans=[
            PlanSummaryAnswer(
                id=row.id,
                name=row.name,
                created_at=row.created_at,
                catalogue_version=row.catalogue_version,
                best_time_s=row.best_time_s,
                best_cost_usd=row.best_cost_usd,
            )
            for row in page
        ],
        next_cursor=_cursor(page[-1].created_at, page[-1].id) if len(rows) > limit else None,
    )


def _saved(plan: store.StoredPlan) -> SavedPlanAnswer:
    answer = PlanAnswer.model_validate(plan.answer)
    return SavedPlanAnswer(id=plan.id, name=plan.name, created_at=plan.created_at, answer=answer)


def _cursor(created_at: datetime, plan_id: UUID) -> str:
    return base64.urlsafe_b64encode(f"{created_at.isoformat()} {plan_id}".encode()).decode()


def _read_cursor(cursor: str) -> tuple[datetime, UUID]:
    try:
        moment, _, plan_id = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").partition(" ")
        return datetime.fromisoformat(moment).astimezone(UTC), UUID(plan_id)
    except (binascii.Error, ValueError, OverflowError):
        raise BadInput([Problem("cursor", "is not from a page of this list")]) from None
