"""The audit log of a team: actor, action and object of each change. Entries cannot be changed.

Triggers log the changes of a team's rows (`migrations/versions/0005_teams.py`). This module logs the other events.
"""

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any, Self
from uuid import UUID

from sqlalchemy import Connection, insert, text

from stowage.frozen import frozen
from stowage.model.team import ActorKind
from stowage.platform.access import Actor
from stowage.platform.database.tables import audit_event

_ADDRESS = text("NULLIF(current_setting('stowage.actor', true), '')::json ->> 'address'")
_REQUEST_ID = text("NULLIF(current_setting('stowage.actor', true), '')::json ->> 'request'")


@frozen
class Event:
    """An event of the audit log."""

    action: str
    """Kind of event, like `session.start`."""
    actor_kind: ActorKind
    actor_name: str
    """Name at the time of the event."""
    actor_id: UUID | None = None
    """Id of the person."""
    token_id: UUID | None = None
    """Id of the token with which the person acted."""
    object_kind: str | None = None
    object_id: str | None = None
    object_name: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Values before and after the event, by field."""

    @classmethod
    def by(
        cls, actor: Actor, action: str, kind: str | None = None, object_id: str | None = None, name: str | None = None
    ) -> Self:
        """Build the event of an actor's action on an object of a kind."""
        return cls(action, actor.kind, actor.name, actor.id, actor.token, kind, object_id, name)


def add(connection: Connection, event: Event) -> None:
    """Add an event to the audit log of the transaction's team, with the network address and the id of the request."""
    about_request = {"address": _ADDRESS, "request_id": _REQUEST_ID}
    # Inline: a role that may only insert may not read the id of the new event.
    connection.execute(insert(audit_event).values(**asdict(event), **about_request).inline())
