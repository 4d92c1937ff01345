"""One-time links: what lets somebody in once. The gate's; a secret is kept as its digest only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, insert, select

from stowage.features.teams.sign_in.tables import one_time_link
from stowage.model.team import OneTimeKind
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class OneTime:
    """What a one-time link is for.

    Parameters
    ----------
    person_id : UUID or None
        Whom it lets in; None where that shows at its end.
    details : mapping or None
    expires_at : datetime
    """

    person_id: UUID | None
    details: Mapping[str, Any] | None
    expires_at: datetime


def add(connection: Connection, kind: OneTimeKind, secret_hash: bytes, link: OneTime) -> None:
    """Store a one-time link."""
    connection.execute(
        insert(one_time_link).values(
            secret_hash=secret_hash,
            kind=kind,
            person_id=link.person_id,
            details=link.details,
            expires_at=link.expires_at,
        )
    )


def look(connection: Connection, kind: OneTimeKind, secret_hash: bytes, now: datetime) -> OneTime | None:
    """Read a link and leave it; None where there is none, or it has expired."""
    row = connection.execute(
        select(*columns_of(one_time_link, OneTime)).where(
            one_time_link.c.secret_hash == secret_hash, one_time_link.c.kind == kind, one_time_link.c.expires_at > now
        )
    )
    found = row.mappings().one_or_none()
    return None if found is None else OneTime(**found)


def use(connection: Connection, kind: OneTimeKind, secret_hash: bytes, now: datetime) -> OneTime | None:
    """Read a link and remove it, so that of several who use it one does; None where there is none that is good."""
    used = (
        delete(one_time_link)
        .where(one_time_link.c.secret_hash == secret_hash, one_time_link.c.kind == kind)
        .returning(*columns_of(one_time_link, OneTime))
    )
    found = connection.execute(used).mappings().one_or_none()
    return None if found is None or found["expires_at"] <= now else OneTime(**found)


def remove(connection: Connection, person_id: UUID, *kinds: OneTimeKind) -> None:
    """Remove a person's unused links of these kinds."""
    connection.execute(
        delete(one_time_link).where(one_time_link.c.person_id == person_id, one_time_link.c.kind.in_(kinds))
    )


def purge(connection: Connection, now: datetime) -> None:
    """Remove what has expired."""
    connection.execute(delete(one_time_link).where(one_time_link.c.expires_at <= now))
