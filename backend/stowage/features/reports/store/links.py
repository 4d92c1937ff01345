"""Queries of share links. A link shows one object to anyone who has the link; only the hash of its secret is stored."""

from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, insert, select, update

from stowage.features.reports.tables import share_link
from stowage.model.team import LinkKind
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link to store.

    Parameters
    ----------
    id : UUID
    secret_hash : bytes
    kind : LinkKind
    object_id : UUID
        Plan, sweep or report that the link shows.
    password_hash : str or None
        Hash of the link's password; None for a link without password.
    created_by : str
        Name of the link's creator.
    created_at, expires_at : datetime
    """

    id: UUID
    secret_hash: bytes
    kind: LinkKind
    object_id: UUID
    password_hash: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A stored link.

    Parameters
    ----------
    id, org_id : UUID
    kind : LinkKind
    object_id : UUID
    password_hash : str or None
    created_by : str
    created_at, expires_at : datetime
    revoked_at : datetime or None
    views : int
        Number of views.
    last_viewed_at : datetime or None
    """

    id: UUID
    org_id: UUID
    kind: LinkKind
    object_id: UUID
    password_hash: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    views: int
    last_viewed_at: datetime | None


def add(connection: Connection, new: NewLink) -> None:
    """Store a link of the team that the transaction runs for."""
    connection.execute(insert(share_link).values(**asdict(new)))


def list_newest(connection: Connection, kind: LinkKind, object_id: UUID) -> tuple[StoredLink, ...]:
    """List the links of an object of the team that the transaction runs for, newest first."""
    query = (
        select(*columns_of(share_link, StoredLink))
        .where(share_link.c.kind == kind, share_link.c.object_id == object_id)
        .order_by(share_link.c.created_at.desc(), share_link.c.id)
    )
    return tuple(StoredLink(**row) for row in connection.execute(query).mappings())


def revoke(connection: Connection, link_id: UUID, now: datetime) -> bool:
    """Revoke a link of the team, unless it is already revoked; return False if the link does not exist."""
    which = share_link.c.id == link_id
    connection.execute(update(share_link).where(which, share_link.c.revoked_at.is_(None)).values(revoked_at=now))
    return connection.scalar(select(share_link.c.id).where(which)) is not None


def find(connection: Connection, secret_hash: bytes, now: datetime) -> StoredLink | None:
    """Load the link that has the given secret; None if there is no such link, or it was revoked or has expired.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without a team, as the team is not known yet.
    secret_hash : bytes
    now : datetime
    """
    query = select(*columns_of(share_link, StoredLink)).where(
        share_link.c.secret_hash == secret_hash, share_link.c.revoked_at.is_(None), share_link.c.expires_at > now
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredLink(**row)


def viewed(connection: Connection, link_id: UUID, now: datetime) -> None:
    """Count a view of a link. The connection must be of the auth role, in a transaction for the link's team."""
    counted = {"views": share_link.c.views + 1, "last_viewed_at": now}
    connection.execute(update(share_link).where(share_link.c.id == link_id).values(counted))
