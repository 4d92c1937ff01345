"""Answers (response models) of the routes for the audit log and for search."""

from typing import Literal

from stowage.features.activity.store.audit import StoredEvent
from stowage.frozen import frozen
from stowage.platform.described import Answer


@frozen
class AuditRow(StoredEvent):
    """An event of the audit log: actor, action, object, time and address."""

    sentence: str
    """The event in words."""


class AuditAnswer(Answer):
    """A page of the audit log, newest first."""

    events: list[AuditRow]
    next_cursor: str | None


Kind = Literal["plan", "sweep", "report", "type", "volume", "member"]
"""Kind of a named object."""


class Hit(Answer):
    """One search result: a named object, such as a plan, that the caller may see."""

    kind: Kind
    name: str
    id: str
    note: str


class SearchAnswer(Answer):
    """Search results, best first, with a limited number of each kind of object."""

    hits: list[Hit]
