"""Comments on reports: plain text, in the order of posting.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

from datetime import datetime
from uuid import UUID

from stowage.features.reports.schemas import CommentAnswer, CommentListAnswer, NewComment
from stowage.features.reports.store import comments as store
from stowage.features.reports.store import reports as report_store
from stowage.platform.access import DENIED, Principal
from stowage.platform.database.database import Database
from stowage.platform.errors import Conflict, NotFound
from stowage.platform.paging import cut, read_cursor

MOST_COMMENTS = 1_000
"""Most comments on one report."""


def list_comments(
    database: Database, org_id: UUID, principal: Principal, report_id: UUID, *, limit: int, cursor: str | None
) -> CommentListAnswer:
    """List the comments on a report, oldest first."""
    after = read_cursor(cursor)
    with database.transaction(org_id) as connection:
        report_store.demand_summary(connection, report_id)
        rows = store.list_oldest(connection, report_id, limit=limit + 1, after=after)
    page, next_cursor = cut(rows, limit)
    return CommentListAnswer(
        comments=[_answer(row, principal) for row in page],
        next_cursor=next_cursor,
    )


def add_comment(
    database: Database,
    org_id: UUID,
    principal: Principal,
    report_id: UUID,
    new: NewComment,
    *,
    comment_id: UUID,
    now: datetime,
) -> CommentAnswer:
    """Add a comment to a report.

    Raises
    ------
    Conflict
        The report has the maximum number of comments.
    """
    said = store.StoredComment(
        id=comment_id,
        report_id=report_id,
        person_id=principal.person_id,
        person=principal.name,
        text=new.text,
        created_at=now,
    )
    with database.transaction(org_id) as connection:
        report_store.demand_summary(connection, report_id)
        if store.count(connection, report_id) >= MOST_COMMENTS:
            raise Conflict(
                f"This report has {MOST_COMMENTS:,} comments, which is all that one takes: remove some first."
            )
        store.add(connection, said)
    return _answer(said, principal)


def remove_comment(database: Database, org_id: UUID, principal: Principal, report_id: UUID, comment_id: UUID) -> None:
    """Delete a comment permanently.

    Members can delete their own comments; owners can delete any comment.

    Raises
    ------
    NotFound
        The comment does not exist, or the caller may not delete it; the response does not say which.
    """
    with database.transaction(org_id) as connection:
        said = store.get(connection, report_id, comment_id)
        if said is None or not _may_remove(said, principal):
            raise NotFound(DENIED)
        store.remove(connection, comment_id)


def _may_remove(said: store.StoredComment, principal: Principal) -> bool:
    return "comments.write" in principal.permissions and (
        said.person_id == principal.person_id or principal.role == "owner"
    )


def _answer(said: store.StoredComment, principal: Principal) -> CommentAnswer:
    return CommentAnswer.from_fields(
        said, own=said.person_id == principal.person_id, removable=_may_remove(said, principal)
    )
