"""Queries of saved plans."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Error
from sqlalchemy import ColumnElement, Connection, Integer, Select, Text, Uuid, bindparam, cast, select
from sqlalchemy.exc import IntegrityError

from stowage.features.planning.tables import plan
from stowage.frozen import frozen
from stowage.platform import currency_store
from stowage.platform.database.errors import NotFound
from stowage.platform.database.lists import NamedObjects
from stowage.platform.database.rows import Place, Rows, read_rows


@frozen
class PlanSummary:
    """A plan in a list."""

    id: UUID
    name: str
    workload: Mapping[str, Any]
    """The workload file as a JSON document."""
    catalog_version: str
    """A stored catalog version."""
    profiles_digest: str
    """Version of the profiles that the answer was computed with, in addition to the catalog."""
    model_version: str
    """Version of the model that the answer was computed with."""
    best_instance: str | None
    """Instance type of the configuration that ranks first; None if no configuration meets the limits."""
    best_nodes: int | None
    """Number of nodes of the configuration that ranks first; None if no configuration meets the limits."""
    best_time_s: float | None
    """Median time of the configuration that ranks first [s]; None if no configuration meets the limits."""
    best_cost_usd: float | None
    """Median cost of the configuration that ranks first [USD]; None if no configuration meets the limits."""
    created_at: datetime
    """Time of creation, with a time zone."""
    best_month_usd: float | None = field(default=None, kw_only=True)
    """Always-on monthly cost of the first configuration [USD]; None if the plan's objective is not a month."""
    saving: Mapping[str, Any] | None = field(default=None, kw_only=True)
    """Costs of the baseline and of the winner as a JSON document; None if there is no baseline, or no winner."""
    saving_done_at: datetime | None = field(default=None, kw_only=True)
    saving_dismissed_at: datetime | None = field(default=None, kw_only=True)
    """Times at which the saving was marked as done or dismissed; at most one of them is set."""
    saving_reason: str | None = field(default=None, kw_only=True)
    saving_person: str | None = field(default=None, kw_only=True)
    """Reason and user of that."""


@frozen
class PlanWithDecisions(PlanSummary):
    """A plan without its answer."""

    decided: Mapping[str, Any] | None = field(default=None, kw_only=True)
    """Decisions about the plan as a JSON document; None if there are none."""


@frozen
class StoredPlan(PlanWithDecisions):
    """A plan of one organisation."""

    answer: bytes
    """The answer as `stored_answers` reads it."""
    decided_at: datetime | None = None
    """Time at which the decisions were stored, with a time zone."""

    def __post_init__(self) -> None:
        # PostgreSQL would read a time without a zone as local time, and the list would be out of order.
        if self.created_at.tzinfo is None:
            raise ValueError(f"created_at {self.created_at.isoformat()}: must carry a time zone")


@frozen
class _Answer:
    """The answer of a plan."""

    answer: bytes


@frozen
class Versions:
    """Versions of catalog, profiles and model with which a plan was answered."""

    catalog_version: str
    profiles_digest: str
    model_version: str


@frozen
class Winner:
    """A plan in which an instance type ranks first."""

    id: UUID
    name: str
    workload: Mapping[str, Any]
    answer: bytes
    """The plan's answer as `stored_answers` reads it."""


PLANS = NamedObjects(
    "plan",
    plan,
    StoredPlan,
    PlanSummary,
    searched=(plan.c.name, plan.c.best_instance, plan.c.catalog_version, cast(plan.c.workload, Text)),
)
get, demand, rename, count = PLANS.get, PLANS.demand, PLANS.rename, PLANS.count
discard, set_deleted = PLANS.discard, PLANS.set_deleted
change, delete_all, purge = PLANS.change, PLANS.delete_all, PLANS.purge
list_newest = PLANS.search


def page(
    *, limit: int | ColumnElement[int], before: Place | None = None, words: Sequence[str] = ()
) -> dict[str, tuple[Select[Any], type]]:
    """Return the queries of a page of plans, as `list_newest` lists them, and of the team's currency."""
    query = PLANS.select_search(limit=limit, before=before, words=words)
    return {"plans": (query, PlanSummary), "currency": currency_store.CURRENT}


FIRST_PAGE = page(limit=bindparam("most", type_=Integer))
"""Queries of the first page, with the number of plans as the parameter `most`."""
_THERE = plan.c.deleted_at.is_(None)
_ONE = plan.c.id == bindparam("plan_id", type_=Uuid)
ONE = Rows(plan, PlanWithDecisions, there=_THERE).select(_ONE), PlanWithDecisions
"""Query of one plan without its answer, with its id as the parameter `plan_id`."""
ANSWER = Rows(plan, _Answer, there=_THERE).select(_ONE).scalar_subquery().label("answer")
"""The answer of the same plan, as a column of the query of `ONE`."""

VERSIONS = Rows(plan, Versions, noun="plan", there=_THERE)


def insert(connection: Connection, stored: StoredPlan) -> bool:
    """Store a plan of the transaction's team; return False if its id is taken.

    Raises
    ------
    NotFound
        The plan's catalog version is not stored.
    """
    try:
        return PLANS.add(connection, stored)
    except IntegrityError as error:
        if isinstance(error.orig, Error) and error.orig.diag.constraint_name == "fk_plan_catalog":
            raise NotFound(f"plan {stored.name!r}: catalog {stored.catalog_version!r} is not stored") from error
        raise


NOT_MARKED: Mapping[str, None] = dict.fromkeys(
    ("saving_done_at", "saving_dismissed_at", "saving_reason", "saving_person")
)
"""Columns of a plan whose saving is open."""


def decide(
    connection: Connection,
    plan_id: UUID,
    decided: Mapping[str, Any] | None,
    decided_at: datetime,
    saving: Mapping[str, Any],
) -> bool:
    """Replace the decisions about a plan and columns of its saving; return False if the plan does not exist."""
    return PLANS.change(connection, plan_id, {"decided": decided, "decided_at": decided_at, **saving})


def won_by(connection: Connection, instance: str, *, limit: int) -> tuple[Winner, ...]:
    """Return the newest plans in which an instance type ranks first."""
    query = (
        select(plan.c.id, plan.c.name, plan.c.workload, plan.c.answer)
        .where(plan.c.best_instance == instance, plan.c.deleted_at.is_(None))
        .order_by(plan.c.created_at.desc(), plan.c.id.desc())
        .limit(limit)
    )
    return read_rows(connection, query, Winner)
