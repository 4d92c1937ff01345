"""Database queries for the home page. Each returns a limited number of rows, newest first."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, Connection, Text, case, cast, func, select
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, distinct_on

from stowage.features.tables import metadata
from stowage.frozen import frozen
from stowage.platform.database.rows import read_rows
from stowage.runs.run import ENDED, RunState

alert, measurement, plan, plan_watch, report, run = (
    metadata.tables[name] for name in ("alert", "measurement", "plan", "plan_watch", "report", "run")
)

MOST_SAVINGS = 1_000
"""Newest plans whose savings are read."""


@frozen
class PlanCosts:
    """Monthly costs of a plan's winner and of its baseline [USD per month]."""

    id: UUID
    baseline_usd: float
    chosen_usd: float
    is_done: bool
    is_dismissed: bool
    same: int
    """Equal for plans with the same workload and baseline, such as copies, at any number of runs a month."""


@frozen
class PlanSaving:
    """Stored saving of a plan."""

    id: UUID
    name: str
    created_at: datetime
    saving: Mapping[str, Any]


@frozen
class ChangedPlan:
    """Newest unseen alert about a watched plan."""

    plan_id: UUID
    name: str
    words: str
    content: Mapping[str, Any]
    at: datetime


@frozen
class OpenRun:
    """Benchmark run that has not ended."""

    id: UUID
    name: str
    state: RunState
    person: str
    created_at: datetime
    quoted_usd: Decimal
    spent_usd: Decimal
    deadline: datetime | None
    """Time at which the last node terminates itself; None before the launch."""
    valid_until: datetime
    """End of the validity of the quote."""
    resources: Sequence[Mapping[str, Any]]


@frozen
class KeptResults:
    """Results of one upload that a user kept."""

    upload_id: UUID
    file: str
    person: str
    at: datetime
    results: int
    instances: Sequence[str]


@frozen
class PublishedReport:
    """A report in the list of recent reports."""

    id: UUID
    name: str
    sentence: str
    author: str
    created_at: datetime


@frozen
class Begun:
    """Numbers of objects of a team, which tell the steps that it has taken."""

    plans: int
    baselines: int
    """Plans with a baseline."""
    results: int
    watched: int
    """Plans that are watched."""


def costs(connection: Connection) -> tuple[PlanCosts, ...]:
    """Return the costs of the team's newest plans with a saving."""
    saving = plan.c.saving
    # Neither its name nor how often it runs makes a job another one. The runs determine the monthly cost of a baseline,
    # or the cost of one run if the user gave the monthly cost.
    name, runs = (cast(["workload", field], ARRAY(Text)) for field in ("name", "runs_per_month"))
    asked = cast(plan.c.workload, JSONB).op("#-")(name).op("#-")(runs)
    is_given = saving[("baseline", "given")].as_boolean().is_(True)
    baseline = cast(saving[("baseline",)], JSONB).op("-")(case((is_given, "run_usd"), else_="month_usd"))
    query = (
        select(
            plan.c.id,
            saving[("baseline", "month_usd")].as_float().label("baseline_usd"),
            saving[("chosen", "month_usd")].as_float().label("chosen_usd"),
            plan.c.saving_done_at.is_not(None).label("is_done"),
            plan.c.saving_dismissed_at.is_not(None).label("is_dismissed"),
            func.hashtextextended(cast(asked, Text) + cast(baseline, Text), 0).label("same"),
        )
        .where(saving.is_not(None), plan.c.deleted_at.is_(None))
        .order_by(plan.c.created_at.desc(), plan.c.id.desc())
        .limit(MOST_SAVINGS)
    )
    return read_rows(connection, query, PlanCosts)


def savings(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, PlanSaving]:
    """Return the savings of plans by id."""
    query = select(plan.c.id, plan.c.name, plan.c.created_at, plan.c.saving).where(plan.c.id.in_(ids))
    return {row.id: row for row in read_rows(connection, query, PlanSaving)}


def changed_plans(connection: Connection) -> tuple[ChangedPlan, ...]:
    """Return the newest unseen alert of each watched plan whose answer changed."""
    newest = (
        select(alert.c.plan_id, plan.c.name, alert.c.words, alert.c.content, alert.c.at)
        .ext(distinct_on(alert.c.plan_id))
        .join(plan, plan.c.id == alert.c.plan_id)
        .where(alert.c.seen_at.is_(None), plan.c.deleted_at.is_(None))
        .order_by(alert.c.plan_id, alert.c.at.desc())
        .subquery()
    )
    return read_rows(connection, select(newest).order_by(newest.c.at.desc()), ChangedPlan)


def open_runs(connection: Connection) -> tuple[OpenRun, ...]:
    """Return the runs that have not ended."""
    query = (
        select(
            *(run.c[name] for name in ("id", "name", "state", "person", "created_at", "deadline")),
            run.c.quoted_usd,
            run.c.spent_usd,
            cast(run.c.quote[("valid_until",)].as_string(), run.c.created_at.type).label("valid_until"),
            func.coalesce(run.c.content[("resources",)], cast("[]", JSON)).label("resources"),
        )
        .where(run.c.state.not_in(ENDED))
        .order_by(run.c.created_at.desc(), run.c.id.desc())
    )
    return read_rows(connection, query, OpenRun)


def kept_results(connection: Connection, since: datetime, limit: int) -> tuple[KeptResults, ...]:
    """Return the uploads whose results users kept since a time, without rejected results."""
    upload = metadata.tables["upload"]
    query = (
        select(
            measurement.c.upload_id,
            upload.c.name.label("file"),
            func.min(measurement.c.person).label("person"),
            func.max(measurement.c.created_at).label("at"),
            func.count().label("results"),
            func.array_remove(
                func.array_agg(measurement.c.instance.distinct(), type_=ARRAY(Text)), None, type_=ARRAY(Text)
            ).label("instances"),
        )
        .join(upload, upload.c.id == measurement.c.upload_id)
        .where(measurement.c.created_at >= since, measurement.c.verdict != "rejected")
        .group_by(measurement.c.upload_id, upload.c.name)
        .order_by(func.max(measurement.c.created_at).desc(), measurement.c.upload_id)
        .limit(limit)
    )
    return read_rows(connection, query, KeptResults)


def won_before(connection: Connection, instances: Sequence[str]) -> list[tuple[str, datetime]]:
    """Return the first instance type and the time of each plan in which one of the given types ranks first."""
    query = select(plan.c.best_instance, plan.c.created_at).where(
        plan.c.best_instance.in_(instances), plan.c.deleted_at.is_(None)
    )
    return [(name, at) for name, at in connection.execute(query)]


def reports(connection: Connection, limit: int) -> tuple[PublishedReport, ...]:
    """Return the newest reports."""
    query = (
        select(*(report.c[name] for name in ("id", "name", "sentence", "author", "created_at")))
        .where(report.c.deleted_at.is_(None))
        .order_by(report.c.created_at.desc(), report.c.id.desc())
        .limit(limit)
    )
    return read_rows(connection, query, PublishedReport)


def begun(connection: Connection) -> Begun:
    """Count the plans, baselines, watched plans and results of the team."""
    there = plan.c.deleted_at.is_(None)
    open_watches = select(func.count()).select_from(plan_watch.join(plan, plan.c.id == plan_watch.c.id))
    [found] = read_rows(
        connection,
        select(
            func.count().label("plans"),
            func.count(plan.c.saving).label("baselines"),
            select(func.count()).select_from(measurement).scalar_subquery().label("results"),
            open_watches.where(plan_watch.c.ended_at.is_(None), there).scalar_subquery().label("watched"),
        )
        .select_from(plan)
        .where(there),
        Begun,
    )
    return found
