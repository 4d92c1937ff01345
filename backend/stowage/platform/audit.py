"""The record of a team: who did what to which object. Nobody changes it; changes of rows write it by themselves.

What is written here is what changes no row of a team: triggers see to the rest (`migrations/versions/0005_teams.py`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, text

from stowage.model.team import ActorKind
from stowage.platform.database.tables import audit_event

_ADDRESS = text("NULLIF(current_setting('stowage.actor', true), '')::json ->> 'address'")
_REQUEST_ID = text("NULLIF(current_setting('stowage.actor', true), '')::json ->> 'request'")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was done.

    Parameters
    ----------
    action : str
        Like ``session.start``.
    actor_kind : {'person', 'token', 'link', 'system'}
    actor_name : str
        As it is now.
    actor_id : UUID or None
        Of the person.
    token_id : UUID or None
        By which the person acted.
    object_kind, object_id, object_name : str or None
    changes : mapping
        Field -> before, after.
    """

    action: str
    actor_kind: ActorKind
    actor_name: str
    actor_id: UUID | None = None
    token_id: UUID | None = None
    object_kind: str | None = None
    object_id: str | None = None
    object_name: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)


def add(connection: Connection, event: Event) -> None:
    """Add to the record of the team that the transaction runs for; address and request are of who acts in it."""
    about_request = {"address": _ADDRESS, "request_id": _REQUEST_ID}
    # Inline: who may only add may not be told the number that the event was given.
    connection.execute(insert(audit_event).values(**asdict(event), **about_request).inline())
