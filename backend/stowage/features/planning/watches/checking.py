"""Checks of watched plans with the newest catalog and the team's current knowledge.

A check may be lost, repeated or interrupted at any point. A worker leases a watch for a fixed time, and the end of the
lease identifies the worker. The result, the alert to the team and the time of the next check are stored in one
transaction, and only while the worker still has the lease.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID, uuid4

from stowage.features.alerts import alerts
from stowage.features.alerts.store import NewAlert
from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning import planning
from stowage.features.planning.watches import news as plan_news
from stowage.features.planning.watches import store
from stowage.features.planning.watches.news import News
from stowage.features.planning.watches.schemas import PlanOutcome, ReportedOutcome
from stowage.features.planning.watches.store import StoredPlanWatch, WatchedWorkload
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, NotFound
from stowage.platform.jobs.queue import CHECK_PLAN, RESEND_CHECKS_AFTER_S, Queue
from stowage.workloads.stored import parse_stored_workload, with_catalog

log = logging.getLogger(__name__)

MOST_AT_ONCE = 50
"""Checks of all teams that are sent to workers at a time, so that sweeps continue when many checks are due."""
HELD_FOR = timedelta(seconds=180)
"""Duration of a lease: longer than any task of a worker may take, so a worker that exceeds it has crashed."""
MOST_TRIES = 3
KEPT_CHECKS = 1_000
"""Stored checks of a plan; almost three years of daily checks."""

_CAME_TO_NOTHING = f"The search was started {MOST_TRIES} times and never completed."


def send_due(gate: Database, database: Database, queue: Queue) -> None:
    """Send a message to the workers for each watch that is due, up to `MOST_AT_ONCE` watches per call."""
    with gate.transaction(None) as connection:
        due = store.due(connection, MOST_AT_ONCE)
    for org_id, of_team in groupby(sorted(due), key=lambda each: each[0]):
        send(database, org_id, queue, [plan_id for _, plan_id in of_team])


def send(database: Database, org_id: UUID, queue: Queue, plan_ids: list[UUID]) -> None:
    """Send a message to the workers for each of the given watches of a team.

    If that fails, `send_due` sends the messages within a minute.
    """
    messages = [(str(org_id), str(plan_id)) for plan_id in plan_ids]
    if queue.send_each(CHECK_PLAN, messages, expires_s=RESEND_CHECKS_AFTER_S, queue="sweeps"):
        with database.transaction(org_id) as connection:
            store.mark_sent(connection, plan_ids)


def check(database: Database, org_id: UUID, plan_id: UUID, now: datetime, clock: Callable[[], float]) -> None:
    """Check a watched plan if it is due, and notify the team of changes.

    Parameters
    ----------
    clock : callable
        Monotonic seconds.
    """
    with database.transaction(org_id) as connection:
        taken = store.take(connection, plan_id, now, now + HELD_FOR)
        if taken is None:
            return
        question = store.question(connection, plan_id)
        if question is None:
            # The plan was deleted and may be restored; checks then continue.
            store.finish(connection, plan_id, _next(taken, now), told=None)
            return
    if taken.tries > MOST_TRIES:
        log.error("the check of plan %s was started %d times and never completed", plan_id, MOST_TRIES)
        found: PlanOutcome | str = _CAME_TO_NOTHING
    else:
        found = _answered(database, org_id, question, clock)
    _note(database, org_id, taken, question, found, now)


def _answered(
    database: Database, org_id: UUID, question: WatchedWorkload, clock: Callable[[], float]
) -> PlanOutcome | str:
    """Return the current answer of a plan, or the reason why there is none."""
    try:
        file = parse_stored_workload(with_catalog(question.workload, "latest"))
        answer = planning.preview_rows(file, stored_knowledge(database, org_id), clock, 1)
    except (BadInput, NotFound) as error:
        return f"{str(error).removesuffix('.')}."
    return PlanOutcome.of(answer)


def _note(
    database: Database,
    org_id: UUID,
    taken: StoredPlanWatch,
    question: WatchedWorkload,
    found: PlanOutcome | str,
    now: datetime,
) -> None:
    """Store the result of a check, and notify the team if the answer has changed.

    Nothing is stored if another worker has claimed the watch meanwhile, or the watch has ended.
    """
    outcome, problem = (None, found) if isinstance(found, str) else (found, None)
    token = taken.taken_until
    with database.transaction(org_id) as connection:
        held = None if token is None else store.still_held(connection, taken.id, token)
        if held is None:
            return
        known = ReportedOutcome.model_validate(held.told)
        news = None if outcome is None else plan_news.news(known, outcome, held.percent)
        winner = None if outcome is None else outcome.winner
        found_now = store.NewCheck(
            plan_id=held.id,
            at=now,
            catalog_version=None if outcome is None else outcome.catalog_version,
            profiles_digest=None if outcome is None else outcome.profiles_digest,
            model_version=None if outcome is None else outcome.model_version,
            winner=None if winner is None else winner.model_dump(mode="json"),
            cost_usd=None if winner is None else winner.cost_usd,
            problem=problem,
            told=news is not None,
        )
        store.add_check(connection, found_now, most=KEPT_CHECKS)
        told = None
        if outcome is not None and news is not None:
            told = ReportedOutcome.since(outcome, now).model_dump(mode="json")
            alerts.tell(connection, _alert(held, question, known, outcome, news, now), now)
        store.finish(connection, held.id, _next(held, now), told)


def _alert(
    watch: StoredPlanWatch,
    question: WatchedWorkload,
    known: PlanOutcome,
    outcome: PlanOutcome,
    news: News,
    now: datetime,
) -> NewAlert:
    content = {
        "plan_name": question.name,
        "change": news.kind,
        "direction": news.direction,
        "factor": news.factor,
        "percent": watch.percent,
        "before": known.model_dump(mode="json"),
        "after": outcome.model_dump(mode="json"),
    }
    return NewAlert(uuid4(), None, None, news.words, content, now, watch.id)


def _next(watch: StoredPlanWatch, now: datetime) -> datetime:
    """Return the time at which a watch is due next.

    A check that a user requested does not change the schedule.
    """
    if watch.next_check_at > now:
        return watch.next_check_at
    return plan_news.next_check(watch.starts_at, watch.every, now)
