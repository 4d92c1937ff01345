"""Saved plans: stored with all versions needed to reproduce the answer, and returned as answered."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from stowage.catalog.difference import difference
from stowage.features.explore import exploration
from stowage.features.explore.catalog_table import PRICE_OF
from stowage.features.planning import planning, reranking, store, today
from stowage.features.planning.basis import basis_of, file_of, knowledge_of
from stowage.features.planning.decided import Decided
from stowage.features.planning.deciding import of_catalog, predict_decided
from stowage.features.planning.schemas import (
    DecidedAnswer,
    PlanListAnswer,
    PlanSummaryAnswer,
    SavedPlanAnswer,
    TodayAnswer,
)
from stowage.platform import quotas
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import NotFound
from stowage.platform.paging import cut, read_cursor
from stowage.workloads import wording
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.stored import parse_stored_workload, with_catalog
from stowage.workloads.workload_file import WorkloadFile

KEPT_AFTER_DELETION = timedelta(days=30)
LONGEST_NAME = 200

_MOST_WORDS = 10


def save_plan(
    database: Database,
    org_id: UUID,
    file: WorkloadFile,
    *,
    plan_id: UUID,
    now: datetime,
    clock: Callable[[], float],
    decided: Decided | None = None,
) -> SavedPlanAnswer:
    """Search, and store the workload, the answer, and the versions of model, catalog and profiles.

    The decisions about the plan are predicted and stored with the plan. If a plan with this id exists, nothing is
    stored and the existing plan is returned.

    Raises
    ------
    BadInput
        As for `planning.preview_plan` and `deciding.predict_decided`; nothing is stored then.
    """
    source = knowledge_of(database, org_id)
    answer = planning.preview_plan(file, source, clock)
    kept = None
    if decided is not None:
        of_version = of_catalog(file, answer.catalog_version)
        kept = _kept(predict_decided(decided, of_version, source, catalog_asked=file.place.catalog))
    best = answer.configurations[0] if answer.configurations else None
    plan = store.StoredPlan(
        id=plan_id,
        name=file.workload.name or answer.sentence,
        workload=file.written(),
        catalog_version=answer.catalog_version,
        profiles_digest=answer.profiles_digest,
        model_version=answer.model_version,
        answer=answer.model_dump(mode="json"),
        best_instance=None if best is None else best.instance,
        best_nodes=None if best is None else best.nodes,
        best_time_s=None if best is None else best.time_s.p50,
        best_cost_usd=None if best is None else best.cost_usd.p50,
        created_at=now,
        decided=kept,
        decided_at=None if kept is None else now,
    )
    with database.transaction(org_id) as connection:
        _add(connection, plan, now)
    return read_plan(database, org_id, plan_id)


def decide(database: Database, org_id: UUID, plan_id: UUID, decided: Decided, now: datetime) -> SavedPlanAnswer:
    """Replace the decisions about a plan; the plan's workload and answer do not change.

    The decisions are predicted with the catalog and measurements that answered the plan.

    Raises
    ------
    NotFound
        There is no such plan, or it belongs to another team.
    BadInput
        As for `deciding.predict_decided`; nothing is stored then.
    """
    plan = read_plan(database, org_id, plan_id)
    basis = basis_of(database, org_id, plan)
    asked = plan.answer.workload.get("place", {}).get("catalog", "latest")
    # A plan's workload never changes, so earlier searches with the same catalog and measurements are reused.
    compared = plan.decided.durabilities if basis.same else []
    found = predict_decided(decided, file_of(plan.answer), basis.source, catalog_asked=asked, compared=compared)
    with database.transaction(org_id) as connection:
        store.decide(connection, plan_id, _kept(found), now)
    return read_plan(database, org_id, plan_id)


def read_plan(database: Database, org_id: UUID, plan_id: UUID) -> SavedPlanAnswer:
    """Return a plan of the team.

    Raises
    ------
    NotFound
        There is no such plan, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        plan = store.get(connection, plan_id)
        if plan is None:
            raise _no_plan(plan_id)
        changes = today.of(connection).changes_since(plan, plan.workload)
    answer = PlanAnswer.model_validate(plan.answer)
    decided = DecidedAnswer.model_validate(plan.decided or {})
    return SavedPlanAnswer.from_fields(plan, answer=answer, changes=changes, decided=decided)


def answer_today(database: Database, org_id: UUID, plan_id: UUID, clock: Callable[[], float]) -> TodayAnswer:
    """Compute a saved plan's answer with the newest catalog version; nothing is stored.

    Raises
    ------
    NotFound
        There is no such plan, or it belongs to another team.
    BadInput
        The newest version lacks the plan's region, or a price that the plan needs.
    """
    plan = read_plan(database, org_id, plan_id)
    saved = plan.answer
    file = parse_stored_workload(with_catalog(saved.workload, "latest"))
    source = knowledge_of(database, org_id)
    then = source(saved.catalog_version, file.place.region).catalog
    now = source("latest", file.place.region).catalog
    # Name the version, in case another one is loaded between the two steps.
    file = parse_stored_workload(with_catalog(saved.workload, now.version))
    answer = planning.preview_plan(file, source, clock)
    purchase = "on-demand" if file.place.purchase == "any" else file.place.purchase
    changed = exploration.difference_answer(then, now, difference(then, now, PRICE_OF[purchase]), purchase)
    winner, words = _winner(saved, answer)
    with database.transaction(org_id) as connection:
        known_at = today.of(connection).known_at(saved.catalog_version, saved.profiles_digest, plan.created_at)
    # The team's measurements at that time with the same catalog, so that only later measurements make a difference.
    before = knowledge_of(database, org_id, known_at)
    measured = reranking.rerank(file, before, source, answer)
    return TodayAnswer(
        difference=changed,
        winner=winner,
        sentence=f"{changed.sentence.removesuffix('.')}, {words}."
        + (f" {measured.sentence}" if measured is not None and measured.changed else ""),
        measured=measured,
        answer=answer,
    )


def list_plans(database: Database, org_id: UUID, *, limit: int, cursor: str | None, search: str = "") -> PlanListAnswer:
    """Return the team's plans, newest first.

    Parameters
    ----------
    limit : int
        Maximum number of plans on a page, at least 1.
    cursor : str or None
        Cursor from the previous page.
    search : str
        Words that must all occur in a plan: in its name, its workload, its winner's instance type or its catalog
        version.

    Raises
    ------
    BadInput
        The cursor is invalid.
    """
    before = read_cursor(cursor)
    with database.transaction(org_id) as connection:
        words = search.replace("\0", " ").split()[:_MOST_WORDS]
        rows = store.list_newest(connection, limit=limit + 1, before=before, words=words)
        now = today.of(connection)
    page, next_cursor = cut(rows, limit)
    return PlanListAnswer(
        plans=[PlanSummaryAnswer.from_fields(row, changes=now.changes_since(row, row.workload)) for row in page],
        next_cursor=next_cursor,
    )


def rename_plan(database: Database, org_id: UUID, plan_id: UUID, name: str) -> SavedPlanAnswer:
    """Rename a plan; its workload and answer do not change.

    Raises
    ------
    NotFound
        There is no such plan, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        store.rename(connection, plan_id, name)
    return read_plan(database, org_id, plan_id)


def duplicate_plan(database: Database, org_id: UUID, plan_id: UUID, *, copy_id: UUID, now: datetime) -> SavedPlanAnswer:
    """Duplicate a plan with its answer and decisions.

    Raises
    ------
    NotFound
        There is no such plan, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        plan = store.get(connection, plan_id)
        if plan is None:
            raise _no_plan(plan_id)
        name = f"{plan.name[: LONGEST_NAME - 7]} (copy)"
        _add(connection, replace(plan, id=copy_id, name=name, created_at=now), now)
    return read_plan(database, org_id, copy_id)


def delete_plan(database: Database, org_id: UUID, plan_id: UUID, now: datetime) -> None:
    """Delete a plan; it can be restored for 30 days.

    Raises
    ------
    NotFound
        There is no such plan, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        if store.get(connection, plan_id) is None:
            raise _no_plan(plan_id)
        store.set_deleted(connection, plan_id, now)
        store.purge(connection, now - KEPT_AFTER_DELETION)


def restore_plan(database: Database, org_id: UUID, plan_id: UUID) -> SavedPlanAnswer:
    """Restore a deleted plan.

    Raises
    ------
    NotFound
        The plan no longer exists, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        store.set_deleted(connection, plan_id, None)
    return read_plan(database, org_id, plan_id)


def _kept(decided: DecidedAnswer) -> dict[str, Any] | None:
    """Convert decisions to the JSON document that is stored; None if there are no decisions."""
    return None if decided == DecidedAnswer() else decided.model_dump(mode="json")


def _winner(then: PlanAnswer, now: PlanAnswer) -> tuple[Literal["unchanged", "changed", "none"], str]:
    """Return whether the same configuration ranks first in both answers, and a sentence about it."""
    if not now.configurations:
        return "none", "nothing meets your limits now"
    new = now.configurations[0]
    words = f"{new.nodes:,} x {new.instance}"
    if not then.configurations:
        return "none", f"nothing met your limits then, now {words} does"
    old = then.configurations[0]
    if (old.instance, old.nodes, old.storage) == (new.instance, new.nodes, new.storage):
        if new.purchase is None or old.purchase in {None, new.purchase}:
            return "unchanged", "your winner unchanged"
        return "changed", f"your winner now paid for {wording.payment(new.purchase)}"
    if (old.instance, old.nodes) == (new.instance, new.nodes):
        words = f"{words} on {new.storage_words}"
    return "changed", f"your winner now {words} instead of {old.nodes:,} x {old.instance}"


def _add(connection: Connection, plan: store.StoredPlan, now: datetime) -> None:
    quotas.lock(connection)
    if store.insert(connection, plan):
        quotas.hold(connection, "plans", "plans-per-day", now=now)


def _no_plan(plan_id: UUID) -> NotFound:
    return NotFound(f"There is no plan {plan_id}.")
