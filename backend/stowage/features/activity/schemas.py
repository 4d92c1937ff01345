"""Answers (response models) of the routes for the audit log and for search."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from stowage.model.team import ActorKind
from stowage.platform.described import Answer


class AuditRow(Answer):
    """An event of the audit log: actor, action, object, time and address."""

    id: int
    at: datetime
    actor_kind: ActorKind
    actor_id: UUID | None
    """Id of the user; names are not unique."""
    actor_name: str
    token_id: UUID | None
    """API token that the user acted with."""
    action: str
    object_kind: str | None
    object_id: str | None
    object_name: str | None
    changes: dict[str, Any]
    address: str | None
    request_id: str | None
    sentence: str
    """The event in words."""


class AuditAnswer(Answer):
    """A page of the audit log, newest first."""

    events: list[AuditRow]
    next_cursor: str | None


class Hit(Answer):
    """One search result: a named object, such as a plan, that the caller may see."""

    kind: Literal["plan", "sweep", "report", "type", "volume", "member"]
    name: str
    id: str
    note: str


class SearchAnswer(Answer):
    """Search results, best first, with a limited number of each kind of object."""

    hits: list[Hit]
