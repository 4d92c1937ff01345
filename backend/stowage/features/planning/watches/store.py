"""Queries of watched plans: schedule, claims and checks."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.planning.tables import plan
from stowage.features.planning.watches.tables import Every, plan_check, plan_watch
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class NewPlanWatch:
    """A watch to store.

    Parameters
    ----------
    id : UUID
        Id of the watched plan.
    every : {'day', 'week', 'month'}
    percent : float
        Threshold [%]: the team is alerted to larger changes of the winner's cost or time (depending on the plan's
        objective).
    person : str
        Current name of the user who requests the watch.
    starts_at, next_check_at, asked_at : datetime
        With time zones.
    told : Mapping
        The answer that was last reported to the team.
    """

    id: UUID
    every: Every
    percent: float
    person: str
    starts_at: datetime
    next_check_at: datetime
    asked_at: datetime
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredPlanWatch:
    """A stored plan watch; fields as in `NewPlanWatch`.

    Parameters
    ----------
    created_at : datetime
    ended_at : datetime or None
        When the watch ended; the plan is not checked after that time.
    asked_at : datetime or None
        None if no extra check is requested.
    taken_until : datetime or None
        End of a worker's lease, which also identifies the worker.
    tries : int
        Number of leases since the last completed check.
    """

    id: UUID
    every: Every
    percent: float
    person: str
    created_at: datetime
    starts_at: datetime
    ended_at: datetime | None
    next_check_at: datetime
    asked_at: datetime | None
    taken_until: datetime | None
    tries: int
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewCheck:
    """Result of a check.

    Parameters
    ----------
    plan_id : UUID
    at : datetime
    catalog_version, profiles_digest, model_version : str or None
        Versions that the answer was computed with; None if the check failed.
    winner : Mapping or None
        None if no configuration met the limits, or the check failed.
    cost_usd : float or None
        Cost of the winner at p50 [USD].
    problem : str or None
        Reason why the check failed; None if it succeeded.
    told : bool
        Whether the team was alerted.
    """

    plan_id: UUID
    at: datetime
    catalog_version: str | None
    profiles_digest: str | None
    model_version: str | None
    winner: Mapping[str, Any] | None
    cost_usd: float | None
    problem: str | None
    told: bool


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """Stored result of a check, to be shown on the page; fields as in `NewCheck`."""

    plan_id: UUID
    at: datetime
    catalog_version: str | None
    winner: Mapping[str, Any] | None
    problem: str | None
    told: bool


@dataclass(frozen=True, slots=True)
class WatchedWorkload:
    """Workload of a watched plan.

    Parameters
    ----------
    name : str
    workload : Mapping
        The workload file as a JSON document.
    """

    name: str
    workload: Mapping[str, Any]


def add(connection: Connection, new: NewPlanWatch) -> bool:
    """Store a watch; return False if the plan already has a watch, active or ended."""
    unless_there = insert_unless(plan_watch).values(asdict(new)).on_conflict_do_nothing()
    return connection.execute(unless_there.returning(plan_watch.c.id)).one_or_none() is not None


def get(connection: Connection, plan_id: UUID, *, held: bool = False) -> StoredPlanWatch | None:
    """Read the watch of a plan; None if the plan was never watched, or belongs to another team.

    Parameters
    ----------
    connection : Connection
    plan_id : UUID
    held : bool
        Whether to lock the row until the transaction ends.
    """
    query = select(*columns_of(plan_watch, StoredPlanWatch)).where(plan_watch.c.id == plan_id)
    row = connection.execute(query.with_for_update() if held else query).mappings().one_or_none()
    return None if row is None else StoredPlanWatch(**row)


def change(connection: Connection, plan_id: UUID, values: Mapping[str, object]) -> None:
    """Update columns of a watch."""
    connection.execute(update(plan_watch).where(plan_watch.c.id == plan_id).values(dict(values)))


def count_open(connection: Connection) -> int:
    """Count the active watches, excluding watches of deleted plans."""
    return len(list_open(connection))


def list_open(connection: Connection) -> tuple[tuple[StoredPlanWatch, str], ...]:
    """Return the team's active watches with their plans' names, newest first; watches of deleted plans are left out."""
    query = (
        select(*columns_of(plan_watch, StoredPlanWatch), plan.c.name)
        .join(plan, plan.c.id == plan_watch.c.id)
        .where(plan_watch.c.ended_at.is_(None), plan.c.deleted_at.is_(None))
        .order_by(plan_watch.c.created_at.desc(), plan_watch.c.id.desc())
    )
    rows = [dict(row) for row in connection.execute(query).mappings()]
    return tuple((StoredPlanWatch(**{k: v for k, v in row.items() if k != "name"}), row["name"]) for row in rows)


def question(connection: Connection, plan_id: UUID) -> WatchedWorkload | None:
    """Read the workload of a plan without the answer; None if the plan does not exist or was deleted."""
    query = select(*columns_of(plan, WatchedWorkload)).where(plan.c.id == plan_id, plan.c.deleted_at.is_(None))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else WatchedWorkload(**row)


def take(connection: Connection, plan_id: UUID, now: datetime, until: datetime) -> StoredPlanWatch | None:
    """Claim a due watch; return None if the watch is not due, or another worker has claimed it."""
    free = or_(plan_watch.c.taken_until.is_(None), plan_watch.c.taken_until <= now)
    due = or_(plan_watch.c.next_check_at <= now, plan_watch.c.asked_at.is_not(None))
    taking = (
        update(plan_watch)
        .where(plan_watch.c.id == plan_id, plan_watch.c.ended_at.is_(None), free, due)
        .values(taken_until=until, tries=plan_watch.c.tries + 1)
        .returning(*columns_of(plan_watch, StoredPlanWatch))
    )
    row = connection.execute(taking).mappings().one_or_none()
    return None if row is None else StoredPlanWatch(**row)


def still_held(connection: Connection, plan_id: UUID, taken_until: datetime) -> StoredPlanWatch | None:
    """Read and lock a claimed watch; None if the watch has ended or the claim was lost."""
    found = get(connection, plan_id, held=True)
    return found if found is not None and found.ended_at is None and found.taken_until == taken_until else None


def finish(connection: Connection, plan_id: UUID, next_check_at: datetime, told: Mapping[str, Any] | None) -> None:
    """Mark a claimed watch as checked, and release the claim.

    Parameters
    ----------
    connection : Connection
    plan_id : UUID
    next_check_at : datetime
    told : Mapping or None
        Answer that this check reports to the team by an alert; None if the check sends no alert.
    """
    values: dict[str, object] = {"next_check_at": next_check_at, "taken_until": None, "tries": 0}
    values |= {"asked_at": None, "sent_at": None}
    change(connection, plan_id, values if told is None else values | {"told": dict(told)})


def mark_sent(connection: Connection, plan_ids: Sequence[UUID]) -> None:
    """Store that messages for watches were sent."""
    connection.execute(update(plan_watch).where(plan_watch.c.id.in_(plan_ids)).values(sent_at=func.now()))


def add_check(connection: Connection, new: NewCheck, *, most: int) -> None:
    """Store the result of a check, and delete the oldest checks of the plan beyond the newest `most`."""
    connection.execute(insert_unless(plan_check).values(asdict(new)))
    of_plan = plan_check.c.plan_id == new.plan_id
    oldest = select(plan_check.c.id).where(of_plan).order_by(plan_check.c.id.desc()).offset(most).limit(1)
    connection.execute(delete(plan_check).where(of_plan, plan_check.c.id <= oldest.scalar_subquery()))


def checks(connection: Connection, plan_id: UUID, *, limit: int) -> tuple[StoredCheck, ...]:
    """Return the last checks of a plan, oldest first."""
    query = select(*columns_of(plan_check, StoredCheck)).where(plan_check.c.plan_id == plan_id)
    rows = connection.execute(query.order_by(plan_check.c.id.desc()).limit(limit)).mappings().all()
    return tuple(StoredCheck(**row) for row in reversed(rows))


def last_checks(connection: Connection, plan_ids: Sequence[UUID]) -> dict[UUID, StoredCheck]:
    """Return the last check of each of these plans; plans without checks are left out."""
    newest = select(func.max(plan_check.c.id)).where(plan_check.c.plan_id.in_(plan_ids)).group_by(plan_check.c.plan_id)
    query = select(*columns_of(plan_check, StoredCheck)).where(plan_check.c.id.in_(newest))
    return {row["plan_id"]: StoredCheck(**row) for row in connection.execute(query).mappings()}


def due(connection: Connection, most: int) -> tuple[tuple[UUID, UUID], ...]:
    """Return watches of all organisations that are due, not leased, and without a recent message.

    Teams take turns: each team's first watch comes before any team's second.

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
