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


def cursor_at(rows: Sequence[str], offset: int) -> str:
    """Return the cursor for an offset in a list that is held in memory.

    Parameters
    ----------
    rows : sequence of str
        Content that determines the rows and their order.
    offset : int
    """
    return base64.urlsafe_b64encode(f"{digest_of(*rows)} {offset}".encode()).decode()


def read_offset(rows: Sequence[str], cursor: str | None) -> int:
    """Parse a cursor into the offset of a page.

    A cursor is refused if the rows or their order have changed since.

    Raises
    ------
    BadInput
        The cursor is not from this list.
    """
    if cursor is None:
        return 0
    try:
        of, _, offset = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").partition(" ")
    except (binascii.Error, ValueError):
        raise foreign_cursor() from None
    if of != digest_of(*rows) or not (offset.isascii() and offset.isdigit() and len(offset) < 8):
        raise foreign_cursor()
    return int(offset)


def digest_of(*content: str) -> str:
    """Return a digest of texts, short enough for a cursor."""
    return hashlib.sha256("\n".join(content).encode()).hexdigest()[:24]


def foreign_cursor() -> BadInput:
    """Return the error for a cursor that does not belong to the requested list."""
    return BadInput([Problem("cursor", "is not from a page of this list")])
