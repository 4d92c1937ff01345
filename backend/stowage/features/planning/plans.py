"""Saved plans: save, read, list, rename, duplicate, delete and restore a plan, and compare it with today.

A plan is stored with all versions that are needed to reproduce its answer, and the stored answer does not change.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from stowage.catalog.difference import difference
from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.explore import exploration
from stowage.features.planning import planning, reranking, saving, store, today
from stowage.features.planning.basis import basis_of, file_of, predicted_again, question_of, source_as_of
from stowage.features.planning.decided import Decided, NewSavingMark
from stowage.features.planning.deciding import of_catalog, predict_decided
from stowage.features.planning.schemas import (
    DecidedAnswer,
    PlanListAnswer,
    PlanSummaryAnswer,
    SavedPlanAnswer,
    SavedPlanHead,
    TodayAnswer,
)
from stowage.frozen import frozen
from stowage.model.hardware.instance import PRICE_OF
from stowage.platform import currency_store, quotas
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.rows import CompiledQuery, Queries, read_together, rows_together, together
from stowage.platform.errors import Conflict, NotFound
from stowage.platform.paging import cut, read_cursor, words_of
from stowage.workloads import stored_answers, wording
from stowage.workloads.answers import PlanAnswer, PredictionAnswer
from stowage.workloads.question import short_question
from stowage.workloads.stored import catalog_of
from stowage.workloads.workload_file import WorkloadFile

LONGEST_NAME = 200
_NOT_REPRODUCIBLE = (
    "The plan was answered from other data or by another version of Stowage than today's, so the sources of this row "
    "are not known. Open it as a new plan to list them."
)


def save_plan(
    database: Database,
    org_id: UUID,
    file: WorkloadFile,
    *,
    plan_id: UUID,
    now: datetime,
    clock: Callable[[], float],
    decided: Decided | None = None,
) -> "SavedPlan":
    """Rank configurations for a workload, and store the plan.

    The plan has the workload, the answer, and the versions of model, catalog and profiles. Of its rows, the first has
    sources; `open_row` works out those of the others. The decisions about the plan are predicted and stored too. If a
    plan with this id exists, it is returned and nothing is stored.

    Raises
    ------
    BadInput
        As for `planning.preview_plan` and `deciding.predict_decided`; nothing is stored then.
    """
    source = stored_knowledge(database, org_id)
    answer = planning.preview_columns(file, source, clock)
    head, best = answer.head, answer.first
    found = DecidedAnswer()
    if decided is not None:
        of_version = of_catalog(file, head.catalog_version)
        found = predict_decided(decided, of_version, source, catalog_asked=file.place.catalog)
    kept = _kept(found)
    plan = store.StoredPlan(
        id=plan_id,
        name=file.workload.name or short_question(file),
        workload=file.written(),
        catalog_version=head.catalog_version,
        profiles_digest=head.profiles_digest,
        model_version=head.model_version,
        answer=stored_answers.packed(answer.encoded),
        best_instance=None if best is None else best.instance,
        best_nodes=None if best is None else best.nodes,
        best_time_s=None if best is None else best.time_s.p50,
        best_cost_usd=None if best is None else best.cost_usd.p50,
        best_month_usd=None if best is None or head.objective != "month" else best.cost_always_on_usd,
        created_at=now,
        decided=kept,
        decided_at=None if kept is None else now,
        saving=saving.to_store(found, head, best),
    )
    with database.transaction(org_id) as connection:
        if _add(connection, plan, now):
            return SavedPlan(_head_of(plan, found, rows_together(_NOW, _NOW_QUERY.run(connection))), plan.answer)
    return open_plan(database, org_id, plan_id)


def decide(database: Database, org_id: UUID, plan_id: UUID, decided: Decided, now: datetime) -> SavedPlanAnswer:
    """Replace the decisions about a plan: its current cluster, pins and notes.

    The decisions are predicted with the catalog and measurements that answered the plan. The plan's workload and answer
    do not change.

    Raises
    ------
    BadInput
        As for `deciding.predict_decided`; nothing is stored then.
    Conflict
        The plan's workload was written for an earlier version; nothing is stored then.
    """
    plan = read_plan(database, org_id, plan_id)
    basis = basis_of(database, org_id, plan)
    asked = catalog_of(plan.answer.workload)
    # A plan's workload never changes, so earlier searches with the same catalog and measurements are reused.
    compared = plan.decided.durabilities if basis.same else []
    found = predict_decided(decided, file_of(plan.answer), basis.source, catalog_asked=asked, compared=compared)
    with database.transaction(org_id) as connection:
        store.decide(connection, plan_id, _kept(found), now, saving.changes_of(plan, found))
    return read_plan(database, org_id, plan_id)


@frozen
class SavedPlan:
    """A saved plan, with its answer as it is stored."""

    head: SavedPlanHead
    stored: bytes
    """The answer as `stored_answers` reads it."""

    def in_objects(self) -> SavedPlanAnswer:
        """Return the plan with its answer as objects."""
        return SavedPlanAnswer.from_fields(self.head, answer=stored_answers.answer_of(self.stored))

    def in_columns(self, head: bytes) -> bytes:
        """Return the JSON of a `SavedPlanColumns`, whose answer has the bytes that are stored.

        Parameters
        ----------
        head : bytes
            JSON of the head.
        """
        return b'%s,"answer":%s}' % (head.removesuffix(b"}"), stored_answers.json_of(self.stored))


def open_plan(database: Database, org_id: UUID, plan_id: UUID) -> SavedPlan:
    """Return a plan of the team, with its answer as it is stored."""
    with database.transaction(org_id) as connection:
        rows = _ONE_QUERY.run(connection, plan_id=plan_id)
        found = rows_together(_ONE, rows)
        if not found["plans"]:
            # It exists only if it was stored in between.
            late = store.demand(connection, plan_id)
            return SavedPlan(_head_of(late, late.decided or {}, found), late.answer)
    [plan] = found["plans"]
    return SavedPlan(_head_of(plan, plan.decided or {}, found), rows[0]["answer"])


def read_plan(database: Database, org_id: UUID, plan_id: UUID) -> SavedPlanAnswer:
    """Return a plan of the team."""
    return open_plan(database, org_id, plan_id).in_objects()


def _head_of(
    plan: store.PlanWithDecisions, kept: DecidedAnswer | Mapping[str, Any], now: Mapping[str, tuple[Any, ...]]
) -> SavedPlanHead:
    """Return a plan without its answer, from its row in the database and the results of the queries `_NOW`."""
    question, outdated = question_of(plan.workload, plan.catalog_version)
    decided, lost = (kept, []) if isinstance(kept, DecidedAnswer) else DecidedAnswer.readable(kept)
    if lost and outdated is None:
        outdated = f"Written for an earlier version: its {' and '.join(lost)} cannot be read any more. Name them again."
    currency = currency_store.current_of(now["currency"])
    return SavedPlanHead.from_fields(
        plan,
        question=question,
        outdated=outdated,
        changes=today.today_of(now).since(plan).changes,
        decided=decided,
        currency=currency,
        **saving.fields_of(plan, currency),
    )


def open_row(database: Database, org_id: UUID, plan_id: UUID, rank: int) -> PredictionAnswer:
    """Return the prediction of a row of a saved plan, with its sources and the numbers of the plan.

    Raises
    ------
    NotFound
        The plan does not exist, is another team's, or has no row of this rank.
    Conflict
        The model or the measurements are not those of the plan's answer any more, or the plan's workload was written
        for an earlier version.
    """
    plan = read_plan(database, org_id, plan_id)
    rows = plan.answer.configurations
    if not 0 < rank <= len(rows):
        raise NotFound(f"The plan has no row {rank}; it has {len(rows)}.")
    file, basis = file_of(plan.answer), basis_of(database, org_id, plan)
    found = predicted_again(rows[rank - 1], file, basis)
    if found is None:
        raise Conflict(_NOT_REPRODUCIBLE)
    return planning.prediction_answer(file, found.workload, found.prediction, basis.knowledge(file))


def answer_today(database: Database, org_id: UUID, plan_id: UUID, clock: Callable[[], float]) -> TodayAnswer:
    """Compute a saved plan's answer with the newest catalog version, and compare it with the saved answer.

    Nothing is stored.

    Raises
    ------
    BadInput
        The newest version lacks the plan's region, or a price that the plan needs.
    Conflict
        The plan's workload was written for an earlier version.
    """
    plan = read_plan(database, org_id, plan_id)
    saved = plan.answer
    file = file_of(saved, "latest")
    source = stored_knowledge(database, org_id)
    then = source(saved.catalog_version, file.place.region).catalog
    now = source("latest", file.place.region).catalog
    # Name the version, in case another one is loaded between the two steps.
    file = of_catalog(file, now.version)
    answer = planning.preview_plan(file, source, clock)
    purchase = "on-demand" if file.place.purchase == "any" else file.place.purchase
    changed = exploration.difference_answer(then, now, difference(then, now, PRICE_OF[purchase]), purchase)
    winner, words = _winner(saved, answer)
    # The team's measurements at that time with the same catalog, so that only later measurements make a difference.
    before = source_as_of(database, org_id, saved.catalog_version, saved.profiles_digest, plan.created_at)
    measured = reranking.rerank(file, before, source, answer)
    return TodayAnswer(
        difference=changed,
        winner=winner,
        sentence=f"{changed.sentence.removesuffix('.')}, {words}."
        + (f" {measured.sentence}" if measured is not None and measured.changed else "")
        + _terms_words(saved, answer),
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
        Words that must all occur in the name, the workload, the winner's type or the catalog version.
    """
    with database.transaction(org_id) as connection:
        if cursor is None and not search:
            found = rows_together(_FIRST_PAGE, _FIRST_PAGE_QUERY.run(connection, most=limit + 1))
        else:
            page = store.page(limit=limit + 1, before=read_cursor(cursor), words=words_of(search))
            found = read_together(connection, {**page, **today.QUERIES})
    rows, next_cursor = cut(found["plans"], limit)
    now, currency = today.today_of(found), currency_store.current_of(found["currency"])
    listed = [
        {name: getattr(row, name) for name in _LISTED}
        | {"price_terms": since.price_terms, "changes": since.changes}
        | saving.fields_of(row, currency)
        for row, since in ((row, now.since(row)) for row in rows)
    ]
    # Validated at once, which takes a third of the time of one after the other.
    return PlanListAnswer.model_validate({"plans": listed, "next_cursor": next_cursor})


_LISTED = tuple(each.name for each in fields(store.PlanSummary) if each.name in PlanSummaryAnswer.model_fields)
"""Fields of a plan in a list that are columns of the plan."""


_NOW: Queries = {"currency": currency_store.CURRENT, **today.QUERIES}
_NOW_QUERY = CompiledQuery(together(_NOW))
_ONE: Queries = {"plans": store.ONE, **_NOW}
_ONE_QUERY = CompiledQuery(together(_ONE).add_columns(store.ANSWER))
_FIRST_PAGE: Queries = {**store.FIRST_PAGE, **today.QUERIES}
_FIRST_PAGE_QUERY = CompiledQuery(together(_FIRST_PAGE))


def mark_saving(
    database: Database, org_id: UUID, plan_id: UUID, asked: NewSavingMark, *, by: str, now: datetime
) -> SavedPlanAnswer:
    """Mark the saving of a plan as done or dismissed, or undo that.

    Parameters
    ----------
    by : str
        Name of the user.

    Raises
    ------
    BadInput
        The saving is dismissed without a reason.
    Conflict
        The plan has no saving.
    """
    with database.transaction(org_id) as connection:
        saving.mark(connection, store.demand(connection, plan_id, lock=True), asked, by, now)
    return read_plan(database, org_id, plan_id)


def rename_plan(database: Database, org_id: UUID, plan_id: UUID, name: str) -> SavedPlanAnswer:
    """Rename a plan; its workload and answer do not change."""
    with database.transaction(org_id) as connection:
        store.rename(connection, plan_id, name)
    return read_plan(database, org_id, plan_id)


def duplicate_plan(database: Database, org_id: UUID, plan_id: UUID, *, copy_id: UUID, now: datetime) -> SavedPlanAnswer:
    """Duplicate a plan with its answer and decisions."""
    with database.transaction(org_id) as connection:
        plan = store.demand(connection, plan_id)
        name = f"{plan.name[: LONGEST_NAME - 7]} (copy)"
        _add(connection, replace(plan, id=copy_id, name=name, created_at=now), now)
    return read_plan(database, org_id, copy_id)


def delete_plan(database: Database, org_id: UUID, plan_id: UUID, now: datetime) -> None:
    """Delete a plan; it can be restored for 30 days."""
    with database.transaction(org_id) as connection:
        store.demand(connection, plan_id)
        store.discard(connection, plan_id, now)


def restore_plan(database: Database, org_id: UUID, plan_id: UUID) -> SavedPlanAnswer:
    """Restore a deleted plan."""
    with database.transaction(org_id) as connection:
        store.set_deleted(connection, plan_id, None)
    return read_plan(database, org_id, plan_id)


def _kept(decided: DecidedAnswer) -> dict[str, Any] | None:
    """Convert decisions to the JSON document that is stored; None if there are no decisions."""
    return None if decided == DecidedAnswer() else decided.model_dump(mode="json")


def _terms_words(then: PlanAnswer, now: PlanAnswer) -> str:
    """Return a sentence about the price terms if they have changed since an answer; else an empty text."""
    if then.price_terms == now.price_terms:
        return ""
    old, new = ("no discount" if each.price_terms is None else each.price_terms.words for each in (then, now))
    return f" Price terms changed: {new} instead of {old}."


def _winner(then: PlanAnswer, now: PlanAnswer) -> tuple[Literal["unchanged", "changed", "none"], str]:
    """Compare the configurations that rank first in an old and a new answer.

    Returns
    -------
    {"unchanged", "changed", "none"}
        ``none`` if one of the answers has no configuration.
    str
        The comparison in words.
    """
    if not now.configurations:
        return "none", "nothing meets your limits now"
    new = now.configurations[0]
    words = f"{new.nodes:,} × {new.instance}"
    if not then.configurations:
        return "none", f"nothing met your limits then, now {words} does"
    old = then.configurations[0]
    if (old.instance, old.nodes, old.storage) == (new.instance, new.nodes, new.storage):
        if new.purchase is None or old.purchase in {None, new.purchase}:
            return "unchanged", "your winner unchanged"
        return "changed", f"your winner now paid for {wording.payment(new.purchase)}"
    if (old.instance, old.nodes) == (new.instance, new.nodes):
        words = f"{words} on {new.storage_words}"
    return "changed", f"your winner now {words} instead of {old.nodes:,} × {old.instance}"


def _add(connection: Connection, plan: store.StoredPlan, now: datetime) -> bool:
    """Store a plan within the quotas; return False if its id is taken."""
    quotas.lock(connection)
    if not store.insert(connection, plan):
        return False
    quotas.hold(connection, "plans", "plans-per-day", now=now)
    return True
