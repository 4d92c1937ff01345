"""Audit log and search: answers."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from stowage.model.team import ActorKind
from stowage.platform.described import Answer


class AuditRow(Answer):
    """Who did what to which object, when, from where."""

    id: int
    at: datetime
    actor_kind: ActorKind
    actor_id: UUID | None
    """Of the person: two may call themselves alike."""
    actor_name: str
    token_id: UUID | None
    """By which the person acted."""
    action: str
    object_kind: str | None
    object_id: str | None
    object_name: str | None
    changes: dict[str, Any]
    address: str | None
    request_id: str | None
    sentence: str
    """The same in words."""


class AuditAnswer(Answer):
    """The record, newest first."""

    events: list[AuditRow]
    next_cursor: str | None


class Hit(Answer):
    """Something that was found and may be seen."""

    kind: Literal["plan", "sweep", "report", "type", "volume", "member"]
    name: str
    id: str
    note: str


class SearchAnswer(Answer):
    """Best first; a few of each kind."""

    hits: list[Hit]
