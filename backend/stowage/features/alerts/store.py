"""Queries of alerts and of the addresses to which they are sent."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.alerts.tables import AlertKind, alert, alert_address
from stowage.platform.database.columns import columns_of
from stowage.platform.database.lists import newest_first


@dataclass(frozen=True, slots=True)
class NewAlert:
    """A detected change.

    Parameters
    ----------
    id : UUID
    profile_key, metric : str or None
        None if the alert is about a plan.
    words : str
        Message for people.
    content : Mapping
    at : datetime
        Estimated time of the change.
    plan_id : UUID or None
        None if the alert is about a profile.
    """

    id: UUID
    profile_key: str | None
    metric: str | None
    words: str
    content: Mapping[str, Any]
    at: datetime
    plan_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class StoredAlert:
    """A stored alert: the fields of `NewAlert`, and the person who has seen it."""

    id: UUID
    profile_key: str | None
    metric: str | None
    plan_id: UUID | None
    words: str
    content: Mapping[str, Any]
    at: datetime
    created_at: datetime
    seen_at: datetime | None
    seen_by: str | None


@dataclass(frozen=True, slots=True)
class StoredAddress:
    """An address to which alerts are sent.

    Parameters
    ----------
    id : UUID
    kind : {'mail', 'webhook'}
    address : str
    person : str
        Name of the person who added the address, at the time of adding.
    created_at : datetime
    """

    id: UUID
    kind: AlertKind
    address: str
    person: str
    created_at: datetime


def add(connection: Connection, new: NewAlert) -> bool:
    """Store an alert; return False if an alert for the same change exists."""
    unless_there = insert_unless(alert).values(asdict(new)).on_conflict_do_nothing().returning(alert.c.id)
    return connection.execute(unless_there).one_or_none() is not None


def get(connection: Connection, alert_id: UUID) -> StoredAlert | None:
    """Read an alert; None if it does not exist or is another team's."""
    row = connection.execute(select(*columns_of(alert, StoredAlert)).where(alert.c.id == alert_id)).mappings()
    found = row.one_or_none()
    return None if found is None else StoredAlert(**found)


def list_newest(
    connection: Connection, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[StoredAlert, ...]:
    """List alerts, newest first, one page at a time."""
    query = newest_first(select(*columns_of(alert, StoredAlert)), alert, limit, before)
    return tuple(StoredAlert(**row) for row in connection.execute(query).mappings())


def unseen(connection: Connection) -> int:
    """Count the unseen alerts."""
    return connection.scalar(select(func.count()).where(alert.c.seen_at.is_(None))) or 0


def set_seen(connection: Connection, alert_id: UUID, at: datetime, by: str) -> None:
    """Mark an alert as seen by a person at a time; an alert that is already marked does not change."""
    first = alert.c.id == alert_id, alert.c.seen_at.is_(None)
    connection.execute(update(alert).where(*first).values(seen_at=at, seen_by=by))


def add_address(connection: Connection, new: StoredAddress, secret: bytes | None = None) -> bool:
    """Store an address; return False if the team has it already.

    Parameters
    ----------
    connection : Connection
    new : StoredAddress
    secret : bytes or None
        Signing secret of a webhook.
    """
    values = asdict(new) | {"secret": secret}
    unless_there = insert_unless(alert_address).values(values).on_conflict_do_nothing()
    return connection.execute(unless_there.returning(alert_address.c.id)).one_or_none() is not None


def get_address(connection: Connection, address_id: UUID) -> StoredAddress | None:
    """Read an address; None if it does not exist or is another team's."""
    query = select(*columns_of(alert_address, StoredAddress)).where(alert_address.c.id == address_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredAddress(**row)


def secret_of(connection: Connection, address_id: UUID) -> bytes | None:
    """Return the decrypted secret of a webhook; None if the address has no secret or is another team's."""
    return connection.scalar(select(alert_address.c.secret).where(alert_address.c.id == address_id))


def addresses(connection: Connection) -> tuple[StoredAddress, ...]:
    """List the addresses of the team, oldest first."""
    order = alert_address.c.created_at, alert_address.c.id
    query = select(*columns_of(alert_address, StoredAddress)).order_by(*order)
    return tuple(StoredAddress(**row) for row in connection.execute(query).mappings())


def remove_address(connection: Connection, address_id: UUID) -> bool:
    """Remove an address; return False if it does not exist or is another team's."""
    return bool(connection.execute(delete(alert_address).where(alert_address.c.id == address_id)).rowcount)
