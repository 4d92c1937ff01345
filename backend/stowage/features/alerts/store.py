"""Database queries for alerts and for the addresses to which they are sent."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select, update

from stowage.features.alerts.tables import AlertKind, alert, alert_address
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows


@frozen
class NewAlert:
    """An alert about a detected change, which is to be stored."""

    id: UUID
    profile_key: str | None
    """Profile that changed; None if the alert is about a plan."""
    metric: str | None
    """Metric that changed; None if the alert is about a plan."""
    words: str
    """Message for people."""
    content: Mapping[str, Any]
    at: datetime
    """Estimated time of the change."""
    plan_id: UUID | None
    """Plan whose answer changed; None if the alert is about a profile."""


@frozen
class StoredAlert(NewAlert):
    """A stored alert, with the time at which it was seen and the person who saw it."""

    created_at: datetime
    seen_at: datetime | None
    seen_by: str | None


@frozen
class StoredAddress:
    """An address to which alerts are sent."""

    id: UUID
    kind: AlertKind
    address: str
    person: str
    """Name of the person who added the address, at the time of adding."""
    created_at: datetime


_ALERTS = Rows(alert, StoredAlert)
_ADDRESSES = Rows(alert_address, StoredAddress)
add, get, demand, list_newest = _ALERTS.add, _ALERTS.get, _ALERTS.demand, _ALERTS.list_newest
get_address, demand_address, remove_address = _ADDRESSES.get, _ADDRESSES.demand, _ADDRESSES.remove


def unseen(connection: Connection) -> int:
    """Return the number of alerts that no one in the team has seen."""
    return _ALERTS.count(connection, alert.c.seen_at.is_(None))


def set_seen(connection: Connection, alert_id: UUID, at: datetime, by: str) -> None:
    """Mark an alert as seen by a person at a time; an alert that is already marked does not change."""
    first = alert.c.id == alert_id, alert.c.seen_at.is_(None)
    connection.execute(update(alert).where(*first).values(seen_at=at, seen_by=by))


def add_address(connection: Connection, new: StoredAddress, secret: bytes | None = None) -> bool:
    """Store an address; return False if the team has it already.

    Parameters
    ----------
    secret : bytes or None
        Signing secret of a webhook.
    """
    return _ADDRESSES.add(connection, new, secret=secret)


def secret_of(connection: Connection, address_id: UUID) -> bytes | None:
    """Return the decrypted signing secret of a webhook.

    Return None if the address has no secret, or belongs to another team.
    """
    return connection.scalar(select(alert_address.c.secret).where(alert_address.c.id == address_id))


def addresses(connection: Connection) -> tuple[StoredAddress, ...]:
    """List the addresses of the team, oldest first."""
    return _ADDRESSES.list_all(connection, order=(alert_address.c.created_at, alert_address.c.id))
