"""Queries of a run's log events, its nodes' reports, and the last status of each node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select
from sqlalchemy import insert as insert_into
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.benchmarks.tables import run_event, run_report, run_status
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A new event in the log of a run.

    Parameters
    ----------
    at : datetime
    kind : str
    words : str
        Text of the event.
    content : Mapping
        Details of the event as JSON.
    """

    at: datetime
    kind: str
    words: str
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A stored event; `id` increases in the order of storing."""

    id: int
    at: datetime
    kind: str
    words: str
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredReport:
    """Report of a node about a phase, as the original bytes."""

    node: int
    phase: str
    content: bytes
    sha256: bytes
    received_at: datetime


@dataclass(frozen=True, slots=True)
class StoredStatus:
    """Last status of a node, and when it arrived."""

    node: int
    content: Mapping[str, Any]
    at: datetime


def add_events(connection: Connection, run_id: UUID, events: Sequence[NewEvent]) -> None:
    """Add events to the log of a run."""
    if events:
        connection.execute(
            insert_into(run_event),
            [
                {"run_id": run_id, "at": each.at, "kind": each.kind, "words": each.words, "content": dict(each.content)}
                for each in events
            ],
        )


def events(
    connection: Connection,
    run_id: UUID,
    *,
    limit: int,
    after: int = 0,
    newest: bool = False,
    kind: str | None = None,
) -> tuple[StoredEvent, ...]:
    """Return events of the log of a run, oldest first.

    Parameters
    ----------
    connection : Connection
    run_id : UUID
    limit : int
    after : int
        Only events with a higher id than this.
    newest : bool
        Whether to return the newest events instead of the oldest, if there are more than the limit.
    kind : str or None
        Only events of this kind.
    """
    query = select(*columns_of(run_event, StoredEvent)).where(run_event.c.run_id == run_id, run_event.c.id > after)
    if kind is not None:
        query = query.where(run_event.c.kind == kind)
    order = run_event.c.id.desc() if newest else run_event.c.id
    rows = connection.execute(query.order_by(order).limit(limit)).mappings().all()
    return tuple(StoredEvent(**row) for row in (reversed(rows) if newest else rows))


def add_report(
    connection: Connection, run_id: UUID, *, node: int, phase: str, content: bytes, sha256: bytes, at: datetime
) -> bool:
    """Store a node's report of a phase; return False if a report of this phase is already stored."""
    values = {"run_id": run_id, "node": node, "phase": phase, "content": content, "sha256": sha256, "received_at": at}
    unless_there = insert_unless(run_report).values(values).on_conflict_do_nothing()
    return connection.execute(unless_there.returning(run_report.c.node)).one_or_none() is not None


def reports(connection: Connection, run_id: UUID) -> tuple[StoredReport, ...]:
    """Return all reports of a run, ordered by node and phase."""
    query = select(*columns_of(run_report, StoredReport)).where(run_report.c.run_id == run_id)
    rows = connection.execute(query.order_by(run_report.c.node, run_report.c.phase)).mappings()
    return tuple(StoredReport(**row) for row in rows)


def reported(connection: Connection, run_id: UUID) -> dict[tuple[int, str], bytes]:
    """Return the SHA-256 of each report, by node and phase."""
    query = select(run_report.c.node, run_report.c.phase, run_report.c.sha256).where(run_report.c.run_id == run_id)
    return {(row.node, row.phase): row.sha256 for row in connection.execute(query)}


def set_status(connection: Connection, run_id: UUID, *, node: int, content: Mapping[str, Any], at: datetime) -> None:
    """Store the status of a node, replacing its previous status."""
    values = {"run_id": run_id, "node": node, "content": dict(content), "at": at}
    connection.execute(
        insert_unless(run_status)
        .values(values)
        .on_conflict_do_update(index_elements=["run_id", "node"], set_={"content": dict(content), "at": at})
    )


def statuses(connection: Connection, run_id: UUID) -> tuple[StoredStatus, ...]:
    """Return the last status of each node of a run, ordered by node."""
    query = select(*columns_of(run_status, StoredStatus)).where(run_status.c.run_id == run_id)
    rows = connection.execute(query.order_by(run_status.c.node)).mappings()
    return tuple(StoredStatus(**row) for row in rows)
