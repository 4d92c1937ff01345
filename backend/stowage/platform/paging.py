"""Cursors of paginated lists."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Protocol, TypeVar
from uuid import UUID

from stowage.platform.errors import BadInput, Problem

_MOST_WORDS = 10
"""Maximum number of words of a search."""


def cursor_after(created_at: datetime, row_id: UUID) -> str:
    """Return the cursor after a row of a list that is sorted by time, newest first."""
    return base64.urlsafe_b64encode(f"{created_at.isoformat()} {row_id}".encode()).decode()


class Row(Protocol):
    """A row of a list that is sorted by time of creation."""

    @property
    def id(self) -> UUID:
        """Id of the row, which distinguishes rows with the same time."""

    @property
    def created_at(self) -> datetime:
        """Time by which the list is sorted."""


R = TypeVar("R", bound=Row)
Held = TypeVar("Held")


def cut(rows: Sequence[R], limit: int) -> tuple[Sequence[R], str | None]:
    """Return the first rows of a list, and the cursor of the next page.

    At most `limit` rows are returned. The cursor is None if no rows are left.
    """
    page = rows[:limit]
    return page, cursor_after(page[-1].created_at, page[-1].id) if len(rows) > limit else None


def read_page(
    limit: int, cursor: str | None, list_newest: Callable[..., Sequence[R]]
) -> tuple[Sequence[R], str | None]:
    """Return a page of a list that is sorted by time, newest first, and the cursor of the next page.

    Parameters
    ----------
    limit : int
        Maximum number of rows on the page.
    cursor : str or None
        Cursor from the previous page.
    list_newest : callable
        Returns at most `limit` rows, which follow the place `before`; both are keywords.

    Raises
    ------
    BadInput
        The cursor is not from a list that is sorted by time.
    """
    return cut(list_newest(limit=limit + 1, before=read_cursor(cursor)), limit)


def words_of(search: str) -> list[str]:
    """Return the words of a search, at most ten."""
    return search.replace("\0", " ").split()[:_MOST_WORDS]


def read_cursor(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Parse a cursor into the time and id of a row.

    Returns None if there is no cursor, as for the first page.

    Raises
    ------
    BadInput
        The cursor is not from a list that is sorted by time.
    """
    if cursor is None:
        return None
    try:
        moment, _, row_id = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").partition(" ")
        return datetime.fromisoformat(moment).astimezone(UTC), UUID(row_id)
    except (binascii.Error, ValueError, OverflowError):
        raise foreign_cursor() from None


def page_held(
    rows: Sequence[Held], content: Sequence[str], limit: int, cursor: str | None
) -> tuple[Sequence[Held], str | None]:
    """Return a page of a list that is held in memory, and the cursor of the next page.

    A cursor is refused if the rows or their order have changed since.

    Parameters
    ----------
    content : sequence of str
        Content that determines the rows and their order.
    limit : int
        Maximum number of rows on the page, at least 1.
    cursor : str or None
        Cursor from the previous page.

    Raises
    ------
    BadInput
        The cursor is not from this list.
    """
    digest = digest_of(*content)
    offset = 0 if cursor is None else _read_offset(digest, cursor)
    behind = offset + limit
    following = base64.urlsafe_b64encode(f"{digest} {behind}".encode()).decode() if behind < len(rows) else None
    return rows[offset:behind], following


def _read_offset(digest: str, cursor: str) -> int:
    try:
        of, _, offset = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").partition(" ")
    except (binascii.Error, ValueError):
        raise foreign_cursor() from None
    if of != digest or not (offset.isascii() and offset.isdigit() and len(offset) < 8):
        raise foreign_cursor()
    return int(offset)


def digest_of(*content: str) -> str:
    """Return a digest of texts, short enough for a cursor."""
    return hashlib.sha256("\n".join(content).encode()).hexdigest()[:24]


def foreign_cursor() -> BadInput:
    """Return the error for a cursor that does not belong to the requested list."""
    return BadInput([Problem("cursor", "is not from a page of this list")])
