"""Quotas of teams: limits that the operator or an owner set for a team, and the use of each quota.

All functions take a connection in a transaction of the team.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    ScalarSelect,
    Select,
    Table,
    column,
    delete,
    func,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import insert

from stowage.frozen import frozen
from stowage.platform.database.rows import lock_team
from stowage.platform.database.tables import job, team_limit, team_quota

DAY = timedelta(days=1)

# Tables of features, which this module must not import: only the needed columns are declared here.
plan, sweep, report = (table(name, column("created_at"), column("deleted_at")) for name in ("plan", "sweep", "report"))
upload = table("upload", column("state"), column("size_bytes"))

_open_sweep = (job.c.kind == "sweep") & job.c.state.in_(("queued", "running"))
_waits = upload.c.state != "kept"

Count = Callable[[datetime], Select[Any]]


def _always(counted: Select[Any]) -> Count:
    return lambda _now: counted


def _of_a_day(created_at: Any) -> Count:  # noqa: ANN401 - a column of any table
    return lambda now: select(func.count()).where(created_at > now - DAY)


_USED: Mapping[str, Count] = {
    "plans": _always(select(func.count()).where(plan.c.deleted_at.is_(None))),
    "plans-per-day": _of_a_day(plan.c.created_at),
    "sweeps": _always(select(func.count()).where(sweep.c.deleted_at.is_(None))),
    "sweeps-per-day": _of_a_day(sweep.c.created_at),
    "open-sweeps": _always(select(func.count()).where(_open_sweep)),
    "open-cells": _always(select(func.coalesce(func.sum(job.c.total - job.c.done), 0)).where(_open_sweep)),
    "reports": _always(select(func.count()).where(report.c.deleted_at.is_(None))),
    "reports-per-day": _of_a_day(report.c.created_at),
    "uploads": _always(select(func.count()).where(_waits)),
    "upload-bytes": _always(select(func.coalesce(func.sum(upload.c.size_bytes), 0)).where(_waits)),
    "storage-bytes": _always(select(func.coalesce(func.sum(upload.c.size_bytes), 0))),
}
"""Counts in rows, by quota. Deleted rows count in quotas per day, not in quotas of stored rows."""

_CREATED_AT = {"plans-per-day": plan.c.created_at, "sweeps-per-day": sweep.c.created_at} | {
    "reports-per-day": report.c.created_at
}


def lock(connection: Connection) -> None:
    """Acquire the advisory lock of the team's quotas.

    It serializes the team's transactions that use quotas.
    """
    lock_team(connection, "stowage.quotas")


def used(connection: Connection, name: str, now: datetime) -> int:
    """Return the team's use of a quota that is counted in rows."""
    return int(connection.scalar(_USED[name](now)) or 0)


def all_used(connection: Connection, now: datetime) -> dict[str, int]:
    """Return the team's use of every quota that is counted in rows."""
    counts: list[ScalarSelect[Any]] = [count(now).scalar_subquery() for count in _USED.values()]
    row = connection.execute(select(*counts)).one()
    return {name: int(value) for name, value in zip(_USED, row, strict=True)}


def oldest_of_day(connection: Connection, name: str, now: datetime) -> datetime | None:
    """Return the creation time of the oldest row that a daily quota counts.

    Returns None if there is no such row, or if the quota is not daily.
    """
    created_at = _CREATED_AT.get(name)
    if created_at is None:
        return None
    oldest: datetime | None = connection.scalar(select(func.min(created_at)).where(created_at > now - DAY))
    return oldest


@frozen
class TeamLimits:
    """Limits that differ from the defaults, by quota."""

    granted: Mapping[str, int]
    """Limits that the operator set for the team."""
    own: Mapping[str, int]
    """Lower limits that an owner of the team set."""


def granted(connection: Connection) -> dict[str, int]:
    """Return the limits that the operator set for the team, by quota."""
    return {row.quota: row.most for row in connection.execute(select(team_quota.c.quota, team_quota.c.most))}


def limits(connection: Connection) -> TeamLimits:
    """Return the limits that the operator and owners set for the team."""
    own = {row.name: row.most for row in connection.execute(select(team_limit.c.name, team_limit.c.most))}
    return TeamLimits(granted(connection), own)


def set_override(connection: Connection, name: str, most: int) -> None:
    """Set the operator's limit of a quota for the team."""
    _set(connection, team_quota, team_quota.c.quota, name, most)


def remove_override(connection: Connection, name: str) -> None:
    """Reset a quota of the team to its default."""
    connection.execute(delete(team_quota).where(team_quota.c.quota == name))


def set_own_limit(connection: Connection, name: str, most: int) -> None:
    """Set the team's own limit of a quota."""
    _set(connection, team_limit, team_limit.c.name, name, most)


def remove_own_limit(connection: Connection, name: str) -> None:
    """Remove the team's own limit of a quota."""
    connection.execute(delete(team_limit).where(team_limit.c.name == name))


def _set(connection: Connection, of: Table, key: Column[str], name: str, most: int) -> None:
    added = insert(of).values({key.name: name, "most": most})
    connection.execute(
        added.on_conflict_do_update(
            index_elements=[of.c.org_id, key], set_={"most": added.excluded.most, "changed_at": func.now()}
        )
    )
