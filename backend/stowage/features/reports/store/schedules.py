"""Queries of the scheduled sending of reports."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select, text, update

from stowage.features.reports.tables import ScheduleContent, ScheduleEvery, report, report_schedule
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows


@frozen
class StoredSchedule:
    """Scheduled sending of a report to members."""

    id: UUID
    report_id: UUID
    """Newest version of the report."""
    name: str
    """Title of the report."""
    every: ScheduleEvery
    content: ScheduleContent
    recipients: Sequence[str]
    """Ids of the members."""
    created_by: str
    """Name at the time of creation."""
    created_at: datetime
    next_at: datetime
    """Time of the next sending, with a time zone."""
    sent_at: datetime | None
    sent: Mapping[str, Any] | None
    """The last sending: `report_id`, `job_id`, and `recipients` in the order of the job's parts."""
    ended_at: datetime | None


_SCHEDULES = Rows(report_schedule, StoredSchedule)
add, get, change = _SCHEDULES.store, _SCHEDULES.get, _SCHEDULES.change
_OPEN = report_schedule.c.ended_at.is_(None)


def count_open(connection: Connection) -> int:
    """Count the schedules of the team that have not ended, without those of deleted reports, which send nothing."""
    there = select(report.c.id).where(report.c.deleted_at.is_(None))
    return _SCHEDULES.count(connection, _OPEN, report_schedule.c.report_id.in_(there))


def count_since(connection: Connection, since: datetime) -> int:
    """Count the schedules that the team created since a time, ended ones included."""
    return _SCHEDULES.count(connection, report_schedule.c.created_at > since)


def list_open(connection: Connection, report_id: UUID) -> tuple[StoredSchedule, ...]:
    """List the schedules of a report that have not ended, oldest first."""
    order = report_schedule.c.created_at, report_schedule.c.id
    return _SCHEDULES.list_all(connection, report_schedule.c.report_id == report_id, _OPEN, order=order)


def demand_open(connection: Connection, report_id: UUID, schedule_id: UUID) -> StoredSchedule:
    """Load and lock a schedule of a report that has not ended.

    Raises
    ------
    NotFound
        There is no such schedule.
    """
    found = _SCHEDULES.demand(connection, schedule_id, lock=True)
    return found if found.report_id == report_id and found.ended_at is None else _SCHEDULES.demand(connection, None)


def follow(connection: Connection, older: UUID, newer: UUID, name: str) -> None:
    """Move the schedules of a report to a newer version."""
    of_older = report_schedule.c.report_id == older
    connection.execute(update(report_schedule).where(of_older).values(report_id=newer, name=name))


def due(connection: Connection, most: int) -> tuple[tuple[UUID, UUID], ...]:
    """Return the organization and id of schedules of all teams that are due, the first of every team first.

    The connection must be of the auth role, in a transaction for no team.
    """
    rows = connection.execute(text("SELECT org_id, schedule_id FROM due_report_schedules(:most)"), {"most": most})
    return tuple((org_id, schedule_id) for org_id, schedule_id in rows)
