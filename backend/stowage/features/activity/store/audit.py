"""Database queries for a team's audit log, which load pages of events."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, ScalarSelect, Table, Uuid, and_, case, cast, func, or_, select

from stowage.features.tables import metadata
from stowage.frozen import frozen
from stowage.model.team import ActorKind
from stowage.platform.database.rows import Rows
from stowage.platform.database.tables import audit_event


@frozen
class StoredEvent:
    """An event of the audit log."""

    id: int
    """Number of the event; later events have higher numbers."""
    at: datetime
    actor_kind: ActorKind
    actor_name: str
    """Name of the actor at the time of the event."""
    actor_id: UUID | None
    """Id of the user; names are not unique."""
    token_id: UUID | None
    """API token that the user acted with."""
    action: str
    """Name of the action. For a changed table row, it is `<table>.<insert, update or delete>`."""
    object_kind: str | None
    object_id: str | None
    object_name: str | None
    """Name of the object at the time of the event; for members and share links, the current name."""
    changes: Mapping[str, Any]
    """Values of each changed field: field -> (before, after)."""
    address: str | None
    request_id: str | None


@frozen
class Sort:
    """Kind of events, defined by criteria that select the events."""

    action: str
    """Action that the event must have."""
    changed: str | None = None
    """Name of a field that the event must have changed; None accepts every event with the action."""
    to_nothing: bool | None = None
    """Whether the field must be null after the change (True) or not null (False); None accepts both."""


plan, person, report, share_link, sweep = (
    metadata.tables[name] for name in ("plan", "person", "report", "share_link", "sweep")
)

_THEN = audit_event.alias("then")


# The log stores only the id of a member, and of a share link and a job not the name of their object.
_OF = cast(audit_event.c.object_id, Uuid)


def _name_of(table: Table, which: ColumnElement[bool]) -> ScalarSelect[str]:
    return select(table.c.name).where(which).limit(1).scalar_subquery()


def _name_of_shared(table: Table) -> ScalarSelect[str]:
    shared = select(table.c.name).join(share_link, share_link.c.object_id == table.c.id)
    return shared.where(share_link.c.id == _OF).scalar_subquery()


# Former members are not readable any more; the name of their last own event is known.
_LAST_EVENT = select(_THEN.c.actor_name).where(_THEN.c.actor_id == _OF).order_by(_THEN.c.id.desc()).limit(1)
_REPORT = cast(func.coalesce(*(audit_event.c.changes[("report_id", place)].as_string() for place in (1, 0))), Uuid)
_NAME = case(
    {
        "membership": func.coalesce(_name_of(person, person.c.person_id == _OF), _LAST_EVENT.scalar_subquery()),
        "share_link": func.coalesce(*(_name_of_shared(each) for each in (plan, sweep, report))),
        "plan_watch": _name_of(plan, plan.c.id == _OF),
        "job": func.coalesce(*(_name_of(each, each.c.job_id == _OF) for each in (sweep, report))),
        "report_comment": _name_of(report, report.c.id == _REPORT),
    },
    value=audit_event.c.object_kind,
    else_=audit_event.c.object_name,
)


_EVENTS = Rows(audit_event, StoredEvent, computed=(_NAME.label("object_name"),))


_TOLD = func.concat_ws(
    "\n",
    audit_event.c.actor_name,
    _NAME,
    audit_event.c.action,
    *(audit_event.c.changes[path].as_string() for path in (("name", 0), ("role", 0), ("role", 1))),
    audit_event.c.address,
    audit_event.c.request_id,
)


def read(
    connection: Connection,
    *,
    limit: int,
    before: int | None = None,
    words: Sequence[tuple[str, Sequence[Sort]]] = (),
) -> tuple[StoredEvent, ...]:
    """Load a page of the audit log of the team that the transaction runs for, newest first.

    Parameters
    ----------
    limit : int
        Maximum number of events on the page, above 0.
    before : int, optional
        ``id`` of the last event of the previous page.
    words : sequence of (str, sequence of Sort)
        Search words, each with the kinds of events that are found by it. An event matches a word if the word occurs in
        its names, changes or address, or if the event is of one of these kinds. It must match all words.
    """
    which = [or_(_TOLD.icontains(word, autoescape=True), *(_is(sort) for sort in sorts)) for word, sorts in words]
    if before is not None:
        which.append(audit_event.c.id < before)
    return _EVENTS.list_all(connection, *which, order=(audit_event.c.id.desc(),), limit=limit)


def read_changes(connection: Connection, *, limit: int) -> tuple[StoredEvent, ...]:
    """Load the newest events in which rows of the team changed, newest first.

    Sign-ins, views and other events of people are left out.
    """
    change = audit_event.c.action.regexp_match(r"\.(insert|update|delete)$")
    return _EVENTS.list_all(connection, change, order=(audit_event.c.id.desc(),), limit=limit)


def read_from(connection: Connection, *, limit: int, after: int, until: int) -> tuple[StoredEvent, ...]:
    """Load a page of the audit log of the team that the transaction runs for, oldest first.

    Parameters
    ----------
    after, until : int
        Events with an ``id`` above `after` and up to `until`.
    """
    which = audit_event.c.id > after, audit_event.c.id <= until
    return _EVENTS.list_all(connection, *which, order=(audit_event.c.id,), limit=limit)


def newest(connection: Connection) -> int:
    """Return the ``id`` of the newest event of the team that the transaction runs for; 0 if there are no events."""
    return connection.scalar(select(func.max(audit_event.c.id))) or 0


def _is(sort: Sort) -> ColumnElement[bool]:
    is_it = audit_event.c.action == sort.action
    if sort.changed is None:
        return is_it
    changed = and_(is_it, audit_event.c.changes[sort.changed].as_string().is_not(None))
    if sort.to_nothing is None:
        return changed
    after = audit_event.c.changes[(sort.changed, 1)].as_string()
    return and_(changed, after.is_(None) if sort.to_nothing else after.is_not(None))
