"""Plans: searches that were kept, with the question, what it was answered from, and the answer."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Error
from sqlalchemy import Connection, select, tuple_
from sqlalchemy import insert as insert_into
from sqlalchemy.exc import IntegrityError

from stowage.store.errors import NotFound
from stowage.store.tables import columns_of, plan


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """What a list of plans says of one.

    Parameters
    ----------
    id : UUID
    name : str
    catalogue_version : str
    best_time_s, best_cost_usd : float or None
        p50 of the first of the ranked configurations [s], [USD]; None where nothing meets the limits.
    created_at : datetime
        With a time zone.
    """

    id: UUID
    name: str
    catalogue_version: str
    best_time_s: float | None
    best_cost_usd: float | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan of one organisation.

    Parameters
    ----------
    id : UUID
    name : str
    workload : Mapping
        The workload file as a JSON document.
    catalogue_version : str
        One that is stored.
    profiles_digest : str
        SHA-256 of the profiles that the answer rests on.
    model_version : str
    answer : Mapping
        The answer as a JSON document; comes back as it was stored, in the same order.
    best_time_s, best_cost_usd : float or None
        p50 of the first of the ranked configurations [s], [USD]; None where nothing meets the limits.
    created_at : datetime
        With a time zone.
    """

    id: UUID
    name: str
    workload: Mapping[str, Any]
    catalogue_version: str
    profiles_digest: str
    model_version: str
    answer: Mapping[str, Any]
    best_time_s: float | None
    best_cost_usd: float | None
    created_at: datetime

    def __post_init__(self) -> None:
        # PostgreSQL would take a time without a zone for its own, and order the list by it.
        if self.created_at.tzinfo is None:
            raise ValueError(f"created_at {self.created_at.isoformat()}: must carry a time zone")


def insert(connection: Connection, stored: StoredPlan) -> None:
    """Store a plan for the organisation that the transaction runs for.

    Raises
    ------
    NotFound
        Its catalogue is not stored.
    """
    try:
        connection.execute(insert_into(plan).values(asdict(stored)))
    except IntegrityError as error:
        if isinstance(error.orig, Error) and error.orig.diag.constraint_name == "fk_plan_catalogue":
            raise NotFound(f"plan {stored.name!r}: catalogue {stored.catalogue_version!r} is not stored") from error
        raise


def get(connection: Connection, plan_id: UUID) -> StoredPlan | None:
    """Read a plan; None where there is none, or it is another organisation's."""
    query = select(*columns_of(plan, StoredPlan)).where(plan.c.id == plan_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredPlan(**row)


def list_newest(
    connection: Connection, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[PlanSummary, ...]:
    """List plans, newest first, one page at a time.

    Parameters
    ----------
    connection : Connection
    limit : int
        Plans on a page, above 0.
    before : tuple of datetime and UUID, optional
        ``created_at`` and ``id`` of the last plan of the page before. Plans that are stored or removed
        meanwhile make no other plan appear twice or not at all.
    """
    newest = (plan.c.created_at.desc(), plan.c.id.desc())
    query = select(*columns_of(plan, PlanSummary)).order_by(*newest).limit(limit)
    if before is not None:
        query = query.where(tuple_(plan.c.created_at, plan.c.id) < before)
    return tuple(PlanSummary(**row) for row in connection.execute(query).mappings())
