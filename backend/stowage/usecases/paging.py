"""Cursors: where the next page of a list begins."""

import base64
import binascii
from datetime import UTC, datetime
from uuid import UUID

from stowage.usecases.errors import BadInput, Problem


def cursor_after(created_at: datetime, row_id: UUID) -> str:
    """Name the place behind a row of a list that is sorted by time, newest first."""
    return base64.urlsafe_b64encode(f"{created_at.isoformat()} {row_id}".encode()).decode()


def read_cursor(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Read a cursor; None for the first page.

    Raises
    ------
    BadInput
        It is not one of ours.
    """
    if cursor is None:
        return None
    try:
        moment, _, row_id = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").partition(" ")
        return datetime.fromisoformat(moment).astimezone(UTC), UUID(row_id)
    except (binascii.Error, ValueError, OverflowError):
        raise BadInput([Problem("cursor", "is not from a page of this list")]) from None
