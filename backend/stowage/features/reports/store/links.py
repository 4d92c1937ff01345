"""Queries of share links.

A link shows one object to anyone who has the link. Only the hash of its secret is stored.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, select, update

from stowage.features.reports.tables import share_link
from stowage.frozen import frozen
from stowage.model.team import LinkKind
from stowage.platform.database.rows import Rows


@frozen
class _Link:
    """Fields of a link."""

    id: UUID
    kind: LinkKind
    object_id: UUID
    """Plan, sweep or report that the link shows."""
    password_hash: str | None
    """Hash of the link's password; None for a link without password."""
    created_by: str
    """Name of the link's creator."""
    created_at: datetime
    expires_at: datetime


@frozen
class NewLink(_Link):
    """A link to store."""

    secret_hash: bytes


@frozen
class StoredLink(_Link):
    """A stored link."""

    org_id: UUID
    revoked_at: datetime | None
    views: int
    """Number of views."""
    last_viewed_at: datetime | None


_LINKS = Rows(share_link, StoredLink)
add = _LINKS.store


def list_newest(connection: Connection, kind: LinkKind, object_id: UUID) -> tuple[StoredLink, ...]:
    """List the share links of an object of the transaction's team, newest first."""
    order = share_link.c.created_at.desc(), share_link.c.id
    return _LINKS.list_all(connection, share_link.c.kind == kind, share_link.c.object_id == object_id, order=order)


def revoke(connection: Connection, link_id: UUID, now: datetime) -> bool:
    """Revoke a link of the team; return False if the link does not exist.

    A link that is already revoked stays unchanged.
    """
    which = share_link.c.id == link_id
    connection.execute(update(share_link).where(which, share_link.c.revoked_at.is_(None)).values(revoked_at=now))
    return connection.scalar(select(share_link.c.id).where(which)) is not None


def find(connection: Connection, secret_hash: bytes, now: datetime) -> StoredLink | None:
    """Load the valid link that has the given secret.

    The result is None if there is no such link, or if the link was revoked or has expired.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without a team, as the team is not known yet.
    """
    valid = share_link.c.revoked_at.is_(None), share_link.c.expires_at > now
    return _LINKS.find(connection, share_link.c.secret_hash == secret_hash, *valid)


def viewed(connection: Connection, link_id: UUID, now: datetime) -> None:
    """Count a view of a link.

    The connection must be of the auth role, in a transaction for the link's team.
    """
    _LINKS.change(connection, link_id, {"views": share_link.c.views + 1, "last_viewed_at": now})
