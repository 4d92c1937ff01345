"""Queries of comments on reports."""

from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select, tuple_

from stowage.features.reports.tables import report_comment
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment on a report.

    Parameters
    ----------
    id, report_id : UUID
    person_id : UUID
        Author of the comment, whose account may have been deleted.
    person : str
        Name of the author at the time of the comment.
    text : str
    created_at : datetime
        Time of creation, with a time zone.
    """

    id: UUID
    report_id: UUID
    person_id: UUID
    person: str
    text: str
    created_at: datetime


def add(connection: Connection, said: StoredComment) -> None:
    """Store a comment on a report of the team that the transaction runs for."""
    connection.execute(insert(report_comment).values(asdict(said)))


def get(connection: Connection, report_id: UUID, comment_id: UUID) -> StoredComment | None:
    """Load a comment on a report; None if the comment does not exist."""
    query = select(*columns_of(report_comment, StoredComment)).where(
        report_comment.c.id == comment_id, report_comment.c.report_id == report_id
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredComment(**row)


def remove(connection: Connection, comment_id: UUID) -> None:
    """Delete a comment permanently."""
    connection.execute(delete(report_comment).where(report_comment.c.id == comment_id))


def count(connection: Connection, report_id: UUID) -> int:
    """Count the comments on a report."""
    return connection.scalar(select(func.count()).where(report_comment.c.report_id == report_id)) or 0


def list_oldest(
    connection: Connection, report_id: UUID, *, limit: int, after: tuple[datetime, UUID] | None = None
) -> tuple[StoredComment, ...]:
    """List the comments on a report, oldest first, one page at a time.

    Parameters
    ----------
    connection : Connection
    report_id : UUID
    limit : int
    after : tuple of datetime and UUID, optional
        ``created_at`` and ``id`` of the last comment of the previous page.
    """
    place = report_comment.c.created_at, report_comment.c.id
    query = (
        select(*columns_of(report_comment, StoredComment))
        .where(report_comment.c.report_id == report_id)
        .order_by(*place)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(*place) > after)
    return tuple(StoredComment(**row) for row in connection.execute(query).mappings())
