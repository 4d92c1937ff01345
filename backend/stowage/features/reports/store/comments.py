"""Queries of comments on reports."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, tuple_

from stowage.features.reports.tables import report_comment
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows


@frozen
class StoredComment:
    """A comment on a report."""

    id: UUID
    report_id: UUID
    person_id: UUID
    """Author of the comment, whose account may have been deleted."""
    person: str
    """Name of the author at the time of the comment."""
    text: str
    created_at: datetime
    """Time of creation, with a time zone."""


_COMMENTS = Rows(report_comment, StoredComment)
add, remove = _COMMENTS.store, _COMMENTS.remove


def get(connection: Connection, report_id: UUID, comment_id: UUID) -> StoredComment | None:
    """Load a comment on a report; None if the comment does not exist."""
    return _COMMENTS.find(connection, report_comment.c.id == comment_id, report_comment.c.report_id == report_id)


def count(connection: Connection, report_id: UUID) -> int:
    """Count the comments on a report."""
    return _COMMENTS.count(connection, report_comment.c.report_id == report_id)


def list_oldest(
    connection: Connection, report_id: UUID, *, limit: int, after: tuple[datetime, UUID] | None = None
) -> tuple[StoredComment, ...]:
    """List the comments on a report, oldest first, one page at a time.

    Parameters
    ----------
    after : tuple of datetime and UUID, optional
        ``created_at`` and ``id`` of the last comment of the previous page.
    """
    place = report_comment.c.created_at, report_comment.c.id
    later = () if after is None else (tuple_(*place) > after,)
    return _COMMENTS.list_all(connection, report_comment.c.report_id == report_id, *later, order=place, limit=limit)
