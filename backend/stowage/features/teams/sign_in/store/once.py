"""Queries of one-time links, which only the auth role can access. The secret of a link is stored as a hash."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete

from stowage.features.teams.sign_in.tables import one_time_link
from stowage.frozen import frozen
from stowage.model.team import OneTimeKind
from stowage.platform.database.rows import Rows, read_row


@frozen
class OneTime:
    """A one-time link of a person, without its secret."""

    person_id: UUID | None
    """Person of the link; None if the person is not known before the use of the link."""
    details: Mapping[str, Any] | None
    """Data that are needed at the use of the link, like the e-mail address to verify."""
    expires_at: datetime


_LINKS = Rows(one_time_link, OneTime)


def add(connection: Connection, kind: OneTimeKind, secret_hash: bytes, link: OneTime) -> None:
    """Store a one-time link."""
    _LINKS.store(connection, link, secret_hash=secret_hash, kind=kind)


def replace(connection: Connection, kind: OneTimeKind, secret_hash: bytes, link: OneTime, now: datetime) -> None:
    """Store a one-time link in place of the person's unused links of the same kind.

    Removes expired links of all people too.
    """
    purge(connection, now)
    if link.person_id is not None:
        remove(connection, link.person_id, kind)
    add(connection, kind, secret_hash, link)


def look(connection: Connection, kind: OneTimeKind, secret_hash: bytes, now: datetime) -> OneTime | None:
    """Read a link without consuming it.

    Returns None if the link does not exist or has expired.
    """
    which = one_time_link.c.secret_hash == secret_hash, one_time_link.c.kind == kind
    return _LINKS.find(connection, *which, one_time_link.c.expires_at > now)


def use(connection: Connection, kind: OneTimeKind, secret_hash: bytes, now: datetime) -> OneTime | None:
    """Consume a link atomically, and return it.

    Returns None if the link does not exist or has expired.
    """
    used = (
        delete(one_time_link)
        .where(one_time_link.c.secret_hash == secret_hash, one_time_link.c.kind == kind)
        .returning(*_LINKS.columns)
    )
    found = read_row(connection, used, OneTime)
    return None if found is None or found.expires_at <= now else found


def remove(connection: Connection, person_id: UUID, *kinds: OneTimeKind) -> None:
    """Remove a person's unused links of these kinds."""
    connection.execute(
        delete(one_time_link).where(one_time_link.c.person_id == person_id, one_time_link.c.kind.in_(kinds))
    )


def void(connection: Connection, person_id: UUID) -> None:
    """Remove a person's unused links for sign-in or password reset, and pending sign-ins."""
    remove(connection, person_id, "sign-in", "reset", "second-factor")


def purge(connection: Connection, now: datetime) -> None:
    """Remove expired links of all people."""
    connection.execute(delete(one_time_link).where(one_time_link.c.expires_at <= now))
