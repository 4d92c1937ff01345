"""Database queries for notifications, and for what a person has read.

Notifications are not stored: they are read from the objects that they are about, so that they end with them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, exists, select, update
from sqlalchemy.dialects.postgresql import insert

from stowage.features.activity.tables import inbox
from stowage.features.tables import metadata
from stowage.frozen import frozen
from stowage.platform.letters import safe_name

alert, report, report_approval, run = (metadata.tables[name] for name in ("alert", "report", "report_approval", "run"))

Kind = Literal["plan", "measurement", "run", "report"]
"""Kinds of notifications that can be delivered: the answer of a watched plan changed, a measured metric changed, a run
awaits approval, a report awaits approval by this person."""


@frozen
class Notification:
    """A change of an object, or an object that awaits a decision."""

    id: UUID
    """Id of the alert, the run or the request of an approval."""
    kind: Kind | Literal["webhook"]
    """`webhook`: the person's webhook does not answer; shown in the inbox only."""
    words: str
    """Sentence for people; plain text."""
    object: str
    """Id of the plan, run or report, key of the profile, or host of the webhook."""
    at: datetime


@frozen
class Inbox:
    """Notifications that a person has read in a team."""

    read_until: datetime | None = None
    read_ids: tuple[str, ...] = ()


def alerts(connection: Connection, kind: Literal["plan", "measurement"], most: int) -> list[Notification]:
    """Return the newest alerts of a kind."""
    about = alert.c.plan_id if kind == "plan" else alert.c.profile_key
    query = (
        select(alert.c.id, alert.c.words, about.label("object"), alert.c.created_at)
        .where(about.is_not(None))
        .order_by(alert.c.created_at.desc(), alert.c.id)
        .limit(most)
    )
    return [
        Notification(id=row.id, kind=kind, words=row.words, object=str(row.object), at=row.created_at)
        for row in connection.execute(query)
    ]


def runs_to_approve(connection: Connection, now: datetime, most: int) -> list[Notification]:
    """Return the newest runs that await approval and whose quote is still valid."""
    query = (
        select(run.c.id, run.c.name, run.c.quoted_usd, run.c.quote, run.c.created_at)
        .where(run.c.state == "quoted", run.c.cancel_asked_at.is_(None))
        .order_by(run.c.created_at.desc(), run.c.id)
        .limit(most)
    )
    return [
        Notification(
            id=row.id,
            kind="run",
            words=f"The run {safe_name(row.name, 'of your team')} awaits approval: at most ${row.quoted_usd:,.2f}.",
            object=str(row.id),
            at=row.created_at,
        )
        for row in connection.execute(query)
        if now < datetime.fromisoformat(row.quote["valid_until"])
    ]


def reports_to_approve(connection: Connection, person_id: UUID, most: int) -> list[Notification]:
    """Return the newest requests to approve a report that wait for a person.

    Requests about a report that was replaced are left out: they cannot be decided any more.
    """
    asked = report_approval.c
    newer = report.alias("newer")
    replaced = exists().where(newer.c.replaces == asked.report_id, newer.c.deleted_at.is_(None))
    query = (
        select(asked.id, asked.report_id, asked.name, asked.requested_by, asked.created_at)
        .join(report, report.c.id == asked.report_id)
        .where(asked.approver_id == person_id, asked.state == "requested", report.c.deleted_at.is_(None), ~replaced)
        .order_by(asked.created_at.desc(), asked.id)
        .limit(most)
    )
    return [
        Notification(
            id=row.id,
            kind="report",
            words=(
                f"{safe_name(row.requested_by, 'A member')} asks you to approve the report "
                f"{safe_name(row.name, 'of your team')}."
            ),
            object=str(row.report_id),
            at=row.created_at,
        )
        for row in connection.execute(query)
    ]


def get(connection: Connection, person_id: UUID) -> Inbox:
    """Return what a person has read; nothing if no row is stored."""
    query = select(inbox.c.read_until, inbox.c.read_ids).where(inbox.c.person_id == person_id)
    row = connection.execute(query).one_or_none()
    return Inbox() if row is None else Inbox(row.read_until, tuple(row.read_ids))


def lock(connection: Connection, person_id: UUID) -> Inbox:
    """Lock the inbox of a person until the transaction ends, and return what the person has read.

    An empty row is stored first if there is none: a lock needs a row, also for the first two requests.
    """
    empty = insert(inbox).values(person_id=person_id, read_ids=[])
    connection.execute(empty.on_conflict_do_nothing(index_elements=["org_id", "person_id"]))
    connection.execute(select(inbox.c.person_id).where(inbox.c.person_id == person_id).with_for_update())
    return get(connection, person_id)


def change(connection: Connection, person_id: UUID, values: Mapping[str, Any]) -> None:
    """Change columns of a locked inbox."""
    connection.execute(update(inbox).where(inbox.c.person_id == person_id).values(dict(values)))
