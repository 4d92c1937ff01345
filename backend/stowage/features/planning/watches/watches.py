"""Watches of plans: start, change, list and end a watch, and request a check.

An id that is unknown or of another team raises `NotFound`.
"""

from datetime import datetime
from uuid import UUID

from stowage.features.planning import store as plans
from stowage.features.planning.watches import checking, store
from stowage.features.planning.watches import news as plan_news
from stowage.features.planning.watches.schemas import (
    NewPlanWatch,
    PlanCheckAnswer,
    PlanOutcome,
    PlanWatchAnswer,
    PlanWatchListAnswer,
    PlanWatchRow,
    ReportedOutcome,
)
from stowage.features.planning.watches.store import StoredPlanWatch
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import Conflict
from stowage.platform.jobs.queue import Queue
from stowage.workloads.stored_answers import answer_of

MOST_WATCHES = 100
"""Maximum number of plans that a team watches at the same time."""
MOST_SHOWN = 400
"""Maximum number of checks shown for a plan, the latest ones."""


def watch(
    database: Database, org_id: UUID, queue: Queue, plan_id: UUID, asked: NewPlanWatch, *, by: str, now: datetime
) -> PlanWatchAnswer:
    """Start to watch a plan, or change the settings of its watch.

    A new watch is checked at once, and the result is compared with the saved answer. A watch that had ended is resumed
    with its last reported answer and its schedule.

    Raises
    ------
    Conflict
        The team watches the maximum number of plans.
    """
    with database.transaction(org_id) as connection:
        plan = plans.demand(connection, plan_id)
        is_new = store.get(connection, plan_id) is None and _begin(connection, plan, asked, by, now)
        if not is_new:
            _go_on(connection, plan_id, asked, now)
    if is_new:
        checking.send(database, org_id, queue, [plan_id])
    return read(database, org_id, plan_id, now=now)


def read(database: Database, org_id: UUID, plan_id: UUID, *, now: datetime) -> PlanWatchAnswer:
    """Return the watch of a plan with its last checks."""
    with database.transaction(org_id) as connection:
        store.WORKLOADS.demand(connection, plan_id)
        found = store.get(connection, plan_id)
        checks = store.checks(connection, plan_id, limit=MOST_SHOWN)
    is_on = found is not None and found.ended_at is None
    return PlanWatchAnswer(
        plan_id=plan_id,
        state="on" if is_on else "off",
        every=None if found is None else found.every,
        percent=None if found is None else found.percent,
        person=None if found is None else found.person,
        checking=found is not None and _is_checking(found, now),
        next_check_at=found.next_check_at if found is not None and is_on else None,
        told=None if found is None else ReportedOutcome.model_validate(found.told),
        checks=[PlanCheckAnswer.from_fields(each) for each in checks],
    )


def list_watches(database: Database, org_id: UUID, *, now: datetime) -> PlanWatchListAnswer:
    """Return all plans that a team watches, newest first, excluding deleted ones."""
    with database.transaction(org_id) as connection:
        rows = store.list_open(connection)
        last = store.last_checks(connection, [row.id for row, _ in rows])
    return PlanWatchListAnswer(
        watches=[
            PlanWatchRow.from_fields(
                row,
                plan_id=row.id,
                plan_name=name,
                checking=_is_checking(row, now),
                last=PlanCheckAnswer.from_fields(last[row.id]) if row.id in last else None,
            )
            for row, name in rows
        ],
        most=MOST_WATCHES,
    )


def end(database: Database, org_id: UUID, plan_id: UUID, *, now: datetime) -> None:
    """End the watch of a plan, and keep the results of its checks; do nothing if the watch has ended."""
    with database.transaction(org_id) as connection:
        store.WORKLOADS.demand(connection, plan_id)
        found = store.get(connection, plan_id, lock=True)
        if found is not None and found.ended_at is None:
            # A running check loses its lease and cannot store its result; a requested check is cancelled.
            let_go = {"asked_at": None, "sent_at": None, "taken_until": None, "tries": 0}
            store.change(connection, plan_id, {"ended_at": now, **let_go})


def ask_check(database: Database, org_id: UUID, queue: Queue, plan_id: UUID, *, now: datetime) -> PlanWatchAnswer:
    """Request an immediate check of a watched plan.

    Repeated requests cause only one check. The schedule does not change.

    Raises
    ------
    Conflict
        The plan is not watched.
    """
    with database.transaction(org_id) as connection:
        store.WORKLOADS.demand(connection, plan_id)
        found = store.get(connection, plan_id, lock=True)
        if found is None or found.ended_at is not None:
            raise Conflict("The plan is not watched; watch it first.")
        is_asked = _is_checking(found, now)
        if not is_asked:
            store.change(connection, plan_id, {"asked_at": now})
    if not is_asked:
        checking.send(database, org_id, queue, [plan_id])
    return read(database, org_id, plan_id, now=now)


def _begin(connection: Connection, plan: plans.StoredPlan, asked: NewPlanWatch, by: str, now: datetime) -> bool:
    """Create the watch of a plan; return False if the plan already has a watch.

    The saved answer is stored as the answer that was last reported to the team.
    """
    _refuse_too_many(connection)
    saved = PlanOutcome.of(answer_of(plan.answer))
    new = store.NewPlanWatch(
        id=plan.id,
        every=asked.every,
        percent=asked.percent,
        person=by,
        starts_at=now,
        next_check_at=plan_news.next_check(now, asked.every, now),
        asked_at=now,
        told=ReportedOutcome.since(saved, plan.created_at).model_dump(mode="json"),
    )
    return store.add(connection, new)


def _go_on(connection: Connection, plan_id: UUID, asked: NewPlanWatch, now: datetime) -> None:
    """Change the settings of an existing watch; resume it if it had ended."""
    found = store.demand(connection, plan_id, lock=True)
    changes: dict[str, object] = {}
    if found.ended_at is not None:
        _refuse_too_many(connection)
        changes["ended_at"] = None
    if found.every != asked.every:
        changes |= {"every": asked.every, "starts_at": now}
        changes["next_check_at"] = plan_news.next_check(now, asked.every, now)
    if found.percent != asked.percent:
        changes["percent"] = asked.percent
    if changes:
        store.change(connection, plan_id, changes)


def _refuse_too_many(connection: Connection) -> None:
    if store.count_open(connection) >= MOST_WATCHES:
        raise Conflict(f"The team watches {MOST_WATCHES} plans; end one first.")


def _is_checking(found: StoredPlanWatch, now: datetime) -> bool:
    is_held = found.taken_until is not None and found.taken_until > now
    return found.ended_at is None and (found.asked_at is not None or is_held)
