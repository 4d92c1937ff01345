"""Queries of watched plans: schedule, claims and checks."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.planning.tables import plan
from stowage.features.planning.watches.tables import Every, plan_check, plan_watch
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, read_row


@frozen
class NewPlanWatch:
    """The watch of a plan that is to be stored."""

    id: UUID
    """Id of the watched plan."""
    every: Every
    percent: float
    """Threshold [%]: the team is alerted to larger changes of the winner's cost or time (depending on the plan's
    objective)."""
    person: str
    """Current name of the user who starts the watch."""
    starts_at: datetime
    """Start of the schedule, with a time zone."""
    next_check_at: datetime
    """Time of the next check, with a time zone."""
    asked_at: datetime | None
    """Time of the request of an extra check; None if no extra check is requested."""
    told: Mapping[str, Any]
    """The answer that was last reported to the team."""


@frozen
class StoredPlanWatch(NewPlanWatch):
    """A stored plan watch."""

    created_at: datetime
    ended_at: datetime | None
    """Time at which the watch ended; None if it has not ended. The plan is not checked after that time."""
    taken_until: datetime | None
    """End of a worker's lease, which also identifies the worker; None if no worker has a lease."""
    tries: int
    """Number of leases since the last completed check."""


@frozen
class StoredCheck:
    """Stored result of a check, with the fields that the page shows."""

    plan_id: UUID
    at: datetime
    catalog_version: str | None
    """None if the check failed."""
    winner: Mapping[str, Any] | None
    """None if no configuration met the limits, or the check failed."""
    problem: str | None
    """Reason why the check failed; None if it succeeded."""
    told: bool
    """True if the team was alerted."""


@frozen
class NewCheck(StoredCheck):
    """Result of a check that is to be stored."""

    profiles_digest: str | None
    """Version of the profiles that the answer was computed with, in addition to the catalog; None if the check
    failed."""
    model_version: str | None
    """Version of the model that the answer was computed with; None if the check failed."""
    cost_usd: float | None
    """Cost of the winner at p50 [USD]."""


@frozen
class WatchedWorkload:
    """Name and workload of a watched plan."""

    name: str
    workload: Mapping[str, Any]
    """The workload file as a JSON document."""


_WATCHES = Rows(plan_watch, StoredPlanWatch, noun="plan")
_CHECKS = Rows(plan_check, StoredCheck)
WORKLOADS = Rows(plan, WatchedWorkload, noun="plan", there=plan.c.deleted_at.is_(None))
add, get, demand, change = _WATCHES.add, _WATCHES.get, _WATCHES.demand, _WATCHES.change
get_all = _WATCHES.get_all
question = WORKLOADS.get


def count_open(connection: Connection) -> int:
    """Count the active watches, excluding watches of deleted plans."""
    return len(list_open(connection))


def list_open(connection: Connection) -> tuple[tuple[StoredPlanWatch, str], ...]:
    """Return the team's active watches with the names of their plans, newest first.

    Watches of deleted plans are left out.
    """
    query = (
        select(*_WATCHES.columns, plan.c.name)
        .join(plan, plan.c.id == plan_watch.c.id)
        .where(plan_watch.c.ended_at.is_(None), plan.c.deleted_at.is_(None))
        .order_by(plan_watch.c.created_at.desc(), plan_watch.c.id.desc())
    )
    rows = [dict(row) for row in connection.execute(query).mappings()]
    return tuple((StoredPlanWatch(**{k: v for k, v in row.items() if k != "name"}), row["name"]) for row in rows)


def take(connection: Connection, plan_id: UUID, now: datetime, until: datetime) -> StoredPlanWatch | None:
    """Claim a watch for a check; return None if it is not due or another worker has claimed it."""
    free = or_(plan_watch.c.taken_until.is_(None), plan_watch.c.taken_until <= now)
    due = or_(plan_watch.c.next_check_at <= now, plan_watch.c.asked_at.is_not(None))
    taking = (
        update(plan_watch)
        .where(plan_watch.c.id == plan_id, plan_watch.c.ended_at.is_(None), free, due)
        .values(taken_until=until, tries=plan_watch.c.tries + 1)
        .returning(*_WATCHES.columns)
    )
    return read_row(connection, taking, StoredPlanWatch)


def still_held(connection: Connection, plan_id: UUID, taken_until: datetime) -> StoredPlanWatch | None:
    """Return a claimed watch and lock it; return None if the watch has ended or the claim was lost."""
    found = get(connection, plan_id, lock=True)
    return found if found is not None and found.ended_at is None and found.taken_until == taken_until else None


def finish(connection: Connection, plan_id: UUID, next_check_at: datetime, told: Mapping[str, Any] | None) -> None:
    """Mark a claimed watch as checked, and release the claim.

    Parameters
    ----------
    told : Mapping or None
        Answer that this check reports to the team by an alert; None if the check sends no alert.
    """
    values: dict[str, object] = {"next_check_at": next_check_at, "taken_until": None, "tries": 0}
    values |= {"asked_at": None, "sent_at": None}
    change(connection, plan_id, values if told is None else values | {"told": dict(told)})


def mark_sent(connection: Connection, plan_ids: Sequence[UUID]) -> None:
    """Store the current time as the time at which messages for watches were sent."""
    connection.execute(update(plan_watch).where(plan_watch.c.id.in_(plan_ids)).values(sent_at=func.now()))


def add_check(connection: Connection, new: NewCheck, *, most: int) -> None:
    """Store the result of a check, and delete all but the newest `most` checks of the plan."""
    connection.execute(insert_unless(plan_check).values(asdict(new)))
    of_plan = plan_check.c.plan_id == new.plan_id
    oldest = select(plan_check.c.id).where(of_plan).order_by(plan_check.c.id.desc()).offset(most).limit(1)
    connection.execute(delete(plan_check).where(of_plan, plan_check.c.id <= oldest.scalar_subquery()))


def checks(connection: Connection, plan_id: UUID, *, limit: int) -> tuple[StoredCheck, ...]:
    """Return the last checks of a plan, oldest first."""
    newest = plan_check.c.id.desc()
    return _CHECKS.list_all(connection, plan_check.c.plan_id == plan_id, order=(newest,), limit=limit)[::-1]


def last_checks(connection: Connection, plan_ids: Sequence[UUID]) -> dict[UUID, StoredCheck]:
    """Return the last check of each given plan; plans without checks are left out."""
    newest = select(func.max(plan_check.c.id)).where(plan_check.c.plan_id.in_(plan_ids)).group_by(plan_check.c.plan_id)
    return {each.plan_id: each for each in _CHECKS.list_all(connection, plan_check.c.id.in_(newest))}


def due(connection: Connection, most: int) -> tuple[tuple[UUID, UUID], ...]:
    """Return the watches for which a message should be sent to the workers.

    These are the watches of all organisations that are due, that no worker has claimed, and for which no message was
    sent recently. The first watch of every team comes before the second watch of any team.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for no organisation.
    most : int
        Maximum number of watches.

    Returns
    -------
    tuple of (UUID, UUID)
        Organisation and plan of each watch.
    """
    rows = connection.execute(text("SELECT org_id, plan_id FROM due_plan_watches(:most)"), {"most": most})
    return tuple((org_id, plan_id) for org_id, plan_id in rows)
