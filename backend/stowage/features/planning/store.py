"""Queries of plans: question, versions and answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Error
from sqlalchemy import Connection, Text, case, cast, delete, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as insert_unless
from sqlalchemy.exc import IntegrityError

from stowage.features.planning.tables import plan
from stowage.platform.database.columns import columns_of
from stowage.platform.database.errors import NotFound


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """A plan in a list.

    Parameters
    ----------
    id : UUID
    name : str
    workload : Mapping
        The workload file as a JSON document.
    catalog_version : str
    profiles_digest, model_version : str
        Versions that the answer was computed with, in addition to the catalog.
    best_instance, best_nodes, best_time_s, best_cost_usd : str, int, float, float, or None
        First ranked configuration, with time and cost at p50 [s], [USD]; None if no configuration meets the limits.
    created_at : datetime
        With a time zone.
    best_month_usd : float or None
        Monthly cost of the first configuration, always on [USD]; None if the plan's objective is not a month.
    """

    id: UUID
    name: str
    workload: Mapping[str, Any]
    catalog_version: str
    profiles_digest: str
    model_version: str
    best_instance: str | None
    best_nodes: int | None
    best_time_s: float | None
    best_cost_usd: float | None
    created_at: datetime
    best_month_usd: float | None = None


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan of one organisation.

    Parameters
    ----------
    id : UUID
    name : str
    workload : Mapping
        The workload file as a JSON document.
    catalog_version : str
        A stored catalog version.
    profiles_digest : str
        SHA-256 of the profiles that the answer was computed with.
    model_version : str
    answer : Mapping
        The answer as a JSON document; loaded with its keys in the stored order.
    best_instance, best_nodes, best_time_s, best_cost_usd : str, int, float, float, or None
        First ranked configuration, with time and cost at p50 [s], [USD]; None if no configuration meets the limits.
    created_at : datetime
        With a time zone.
    decided : Mapping or None
        Decisions about the plan as a JSON document; None if there are none.
    decided_at : datetime or None
        When the decisions were stored, with a time zone.
    """

    id: UUID
    name: str
    workload: Mapping[str, Any]
    catalog_version: str
    profiles_digest: str
    model_version: str
    answer: Mapping[str, Any]
    best_instance: str | None
    best_nodes: int | None
    best_time_s: float | None
    best_cost_usd: float | None
    created_at: datetime
    decided: Mapping[str, Any] | None = None
    decided_at: datetime | None = None

    def __post_init__(self) -> None:
        # PostgreSQL would read a time without a zone as local time, and the list would be out of order.
        if self.created_at.tzinfo is None:
            raise ValueError(f"created_at {self.created_at.isoformat()}: must carry a time zone")


@dataclass(frozen=True, slots=True)
class Winner:
    """The first row of a plan's ranking, with the plan's workload.

    Parameters
    ----------
    id : UUID
    name : str
    workload : Mapping
    best : Mapping
        The row as it is in the answer.
    """

    id: UUID
    name: str
    workload: Mapping[str, Any]
    best: Mapping[str, Any]


def insert(connection: Connection, stored: StoredPlan) -> bool:
    """Store a plan for the transaction's organisation; return False if its id is taken.

    Raises
    ------
    NotFound
        Its catalog version is not stored.
    """
    try:
        unless_there = insert_unless(plan).values(asdict(stored)).on_conflict_do_nothing().returning(plan.c.id)
        added = connection.execute(unless_there).one_or_none()
    except IntegrityError as error:
        if isinstance(error.orig, Error) and error.orig.diag.constraint_name == "fk_plan_catalog":
            raise NotFound(f"plan {stored.name!r}: catalog {stored.catalog_version!r} is not stored") from error
        raise
    return added is not None


def get(connection: Connection, plan_id: UUID) -> StoredPlan | None:
    """Read a plan; None if it does not exist, was deleted, or belongs to another team."""
    query = select(*columns_of(plan, StoredPlan)).where(plan.c.id == plan_id, plan.c.deleted_at.is_(None))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredPlan(**row)


def rests_on(connection: Connection, plan_id: UUID) -> tuple[str, str, str] | None:
    """Return the versions of catalog, profiles and model that a plan was answered with; None as for `get`."""
    query = select(plan.c.catalog_version, plan.c.profiles_digest, plan.c.model_version)
    row = connection.execute(query.where(plan.c.id == plan_id, plan.c.deleted_at.is_(None))).one_or_none()
    return None if row is None else (row.catalog_version, row.profiles_digest, row.model_version)


def won_by(connection: Connection, instance: str, *, limit: int) -> tuple[Winner, ...]:
    """Return the newest plans that an instance type wins, each with its first row only: an answer may be a megabyte."""
    query = (
        select(plan.c.id, plan.c.name, plan.c.workload, plan.c.answer["configurations"][0].label("best"))
        .where(plan.c.best_instance == instance, plan.c.deleted_at.is_(None))
        .order_by(plan.c.created_at.desc(), plan.c.id.desc())
        .limit(limit)
    )
    return tuple(Winner(**row) for row in connection.execute(query).mappings())


def rename(connection: Connection, plan_id: UUID, name: str) -> bool:
    """Rename a plan; return False if it does not exist."""
    found = plan.c.id == plan_id, plan.c.deleted_at.is_(None)
    return bool(connection.execute(update(plan).where(*found).values(name=name)).rowcount)


def decide(connection: Connection, plan_id: UUID, decided: Mapping[str, Any] | None, decided_at: datetime) -> bool:
    """Replace the decisions about a plan; return False if it does not exist."""
    found = plan.c.id == plan_id, plan.c.deleted_at.is_(None)
    changed = update(plan).where(*found).values(decided=decided, decided_at=decided_at)
    return bool(connection.execute(changed).rowcount)


def set_deleted(connection: Connection, plan_id: UUID, deleted_at: datetime | None) -> bool:
    """Delete a plan, or with None restore it; return False if it does not exist."""
    return bool(connection.execute(update(plan).where(plan.c.id == plan_id).values(deleted_at=deleted_at)).rowcount)


def count(connection: Connection) -> int:
    """Count the plans of the transaction's organisation."""
    return connection.scalar(select(func.count()).where(plan.c.deleted_at.is_(None))) or 0


def delete_all(connection: Connection) -> None:
    """Delete permanently all plans of the transaction's organisation."""
    connection.execute(delete(plan))


def purge(connection: Connection, deleted_before: datetime) -> None:
    """Delete plans permanently that were deleted before a time."""
    connection.execute(delete(plan).where(plan.c.deleted_at < deleted_before))


def list_newest(
    connection: Connection,
    *,
    limit: int,
    before: tuple[datetime, UUID] | None = None,
    words: Sequence[str] = (),
) -> tuple[PlanSummary, ...]:
    """Return plans, newest first, one page at a time.

    Parameters
    ----------
    connection : Connection
    limit : int
        Plans on a page, above 0.
    before : tuple of datetime and UUID, optional
        ``created_at`` and ``id`` of the last plan on the previous page. Plans that are stored or deleted between pages
        make no other plan appear twice or be skipped.
    words : sequence of str
        Each must occur in the name, the workload as written, the instance type or the catalog version.
    """
    newest = (plan.c.created_at.desc(), plan.c.id.desc())
    # An answer may be a megabyte, so it is read only for plans whose objective is a month.
    of_month = case(
        (
            plan.c.workload["objective"].as_string() == "month",
            plan.c.answer["configurations"][0]["cost_always_on_usd"].as_float(),
        )
    ).label("best_month_usd")
    known = (plan.c[each.name] for each in fields(PlanSummary) if each.name != of_month.name)
    query = select(*known, of_month).where(plan.c.deleted_at.is_(None)).order_by(*newest).limit(limit)
    searched = func.concat_ws(
        "\n", plan.c.name, plan.c.best_instance, plan.c.catalog_version, cast(plan.c.workload, Text)
    )
    for word in words:
        query = query.where(searched.icontains(word, autoescape=True))
    if before is not None:
        query = query.where(tuple_(plan.c.created_at, plan.c.id) < before)
    return tuple(PlanSummary(**row) for row in connection.execute(query).mappings())
