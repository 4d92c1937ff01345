"""Database queries for notifications, and for what a person has read and wants by mail.

Notifications are not stored: they are read from the objects that they are about, so that they end with them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, exists, select, text, update
from sqlalchemy.dialects.postgresql import insert

from stowage.features.activity.tables import inbox
from stowage.features.tables import metadata
from stowage.frozen import frozen
from stowage.model.team import Role
from stowage.platform.database.rows import read_row
from stowage.platform.letters import safe_name

alert, membership, person, report, report_approval, run = (
    metadata.tables[name] for name in ("alert", "membership", "person", "report", "report_approval", "run")
)

Kind = Literal["plan", "measurement", "run", "report"]
"""Kinds of notifications: the answer of a watched plan changed, a measured metric changed, a run awaits approval, a
report awaits approval by this person."""


@frozen
class Notification:
    """A change of an object, or an object that awaits a decision."""

    id: UUID
    """Id of the alert, the run or the request of an approval."""
    kind: Kind
    words: str
    """Sentence for people; plain text."""
    object: str
    """Id of the plan, run or report, or key of the profile."""
    at: datetime


@frozen
class Inbox:
    """Notifications that a person has read in a team, and kinds that the person wants by mail."""

    read_until: datetime | None = None
    read_ids: tuple[str, ...] = ()
    mailed_kinds: tuple[str, ...] = ()
    mailed_until: datetime | None = None


@frozen
class Reader:
    """A member of a team, who may get mail."""

    role: Role
    email: str | None
    email_verified_at: datetime | None


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


def get(connection: Connection, person_id: UUID, *, lock: bool = False) -> Inbox:
    """Return the inbox of a person; an empty one if none is stored."""
    query = select(inbox.c.read_until, inbox.c.read_ids, inbox.c.mailed_kinds, inbox.c.mailed_until).where(
        inbox.c.person_id == person_id
    )
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        return Inbox()
    return Inbox(row.read_until, tuple(row.read_ids), tuple(row.mailed_kinds), row.mailed_until)


def change(connection: Connection, person_id: UUID, values: Mapping[str, Any]) -> None:
    """Store columns of the inbox of a person."""
    empty = {"person_id": person_id, "read_ids": [], "mailed_kinds": []}
    adding = insert(inbox).values({**empty, **values})
    connection.execute(adding.on_conflict_do_update(index_elements=["org_id", "person_id"], set_=dict(values)))


def take_due(connection: Connection, person_id: UUID, *, now: datetime, before: datetime) -> Inbox | None:
    """Move the time until which a person was mailed to `now`, and return the inbox as it was before.

    Return None if the person was mailed after `before`, or wants no mail: of several workers one mails.
    """
    found = get(connection, person_id, lock=True)
    if found.mailed_until is None or found.mailed_until > before or not found.mailed_kinds:
        return None
    connection.execute(update(inbox).where(inbox.c.person_id == person_id).values(mailed_until=now))
    return found


def reader(connection: Connection, person_id: UUID) -> Reader | None:
    """Return a member of the team; None if the person has left it."""
    query = (
        select(membership.c.role, person.c.email, person.c.email_verified_at)
        .join(person, person.c.person_id == membership.c.person_id)
        .where(membership.c.person_id == person_id)
    )
    return read_row(connection, query, Reader)


def due(connection: Connection, most: int) -> Sequence[tuple[UUID, UUID]]:
    """Return organisation and person of the inboxes that may be mailed now, those that wait longest first.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for no organisation.
    most : int
        Maximum number of inboxes.
    """
    rows = connection.execute(text("SELECT org_id, person_id FROM due_inboxes(:most)"), {"most": most})
    return [(org_id, person_id) for org_id, person_id in rows]
