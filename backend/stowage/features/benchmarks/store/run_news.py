"""Queries of a run's log, of the reports of its nodes, and of the last status of each node."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select
from sqlalchemy import insert as insert_into
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.benchmarks.tables import run_event, run_report, run_status
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, values_of


@frozen
class NewEvent:
    """An event to add to the log of a run."""

    at: datetime
    kind: str
    words: str
    """Text of the event."""
    content: Mapping[str, Any]
    """Details of the event as JSON."""


@frozen
class StoredEvent(NewEvent):
    """An event in the log of a run. Later events have a higher `id`."""

    id: int


@frozen
class StoredReport:
    """Report of a node on one phase of a run, as the bytes that the node wrote."""

    node: int
    phase: str
    content: bytes
    sha256: bytes
    received_at: datetime


@frozen
class StoredStatus:
    """Last status of a node, with the time of its arrival."""

    node: int
    content: Mapping[str, Any]
    at: datetime


_EVENTS = Rows(run_event, StoredEvent)
_REPORTS = Rows(run_report, StoredReport)
_STATUSES = Rows(run_status, StoredStatus)


def add_events(connection: Connection, run_id: UUID, events: Sequence[NewEvent]) -> None:
    """Add events to the log of a run."""
    if events:
        connection.execute(insert_into(run_event), [values_of(each) | {"run_id": run_id} for each in events])


def events(
    connection: Connection,
    run_id: UUID,
    *,
    limit: int,
    after: int = 0,
    newest: bool = False,
    kind: str | None = None,
) -> tuple[StoredEvent, ...]:
    """Return events from the log of a run, oldest first.

    Parameters
    ----------
    after : int
        Only events with a higher id than this.
    newest : bool
        Whether to return the newest events instead of the oldest, if there are more than the limit.
    kind : str or None
        Only events of this kind.
    """
    which = (
        run_event.c.run_id == run_id,
        run_event.c.id > after,
        *(() if kind is None else (run_event.c.kind == kind,)),
    )
    order = run_event.c.id.desc() if newest else run_event.c.id
    found = _EVENTS.list_all(connection, *which, order=(order,), limit=limit)
    return found[::-1] if newest else found


def add_report(
    connection: Connection, run_id: UUID, *, node: int, phase: str, content: bytes, sha256: bytes, at: datetime
) -> bool:
    """Store a node's report on a phase; return False if the node's report on this phase is already stored."""
    return _REPORTS.add(connection, StoredReport(node, phase, content, sha256, at), run_id=run_id)


def reports(connection: Connection, run_id: UUID) -> tuple[StoredReport, ...]:
    """Return all reports of a run, ordered by node and phase."""
    order = run_report.c.node, run_report.c.phase
    return _REPORTS.list_all(connection, run_report.c.run_id == run_id, order=order)


def reported(connection: Connection, run_id: UUID) -> dict[tuple[int, str], bytes]:
    """Return the SHA-256 of each report of a run, by node and phase."""
    query = select(run_report.c.node, run_report.c.phase, run_report.c.sha256).where(run_report.c.run_id == run_id)
    return {(row.node, row.phase): row.sha256 for row in connection.execute(query)}


def set_status(connection: Connection, run_id: UUID, *, node: int, content: Mapping[str, Any], at: datetime) -> None:
    """Store the current status of a node, replacing the previous one."""
    values = {"run_id": run_id, "node": node, "content": dict(content), "at": at}
    connection.execute(
        insert_unless(run_status)
        .values(values)
        .on_conflict_do_update(index_elements=["run_id", "node"], set_={"content": dict(content), "at": at})
    )


def statuses(connection: Connection, run_id: UUID) -> tuple[StoredStatus, ...]:
    """Return the last status of each node of a run, ordered by node."""
    return _STATUSES.list_all(connection, run_status.c.run_id == run_id, order=(run_status.c.node,))
