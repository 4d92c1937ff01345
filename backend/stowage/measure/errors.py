"""Errors of a file.

Unreadable          the file as a whole is refused, nothing of it is kept
├── MissingPart     it is a rolled log without one of its parts
└── BadArchive      so is everything that it was packed with
"""


class Unreadable(Exception):
    """A file of which nothing is kept.

    Parameters
    ----------
    message : str
        What it is, and what would be accepted.
    line : int or None
        Where, from 1.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class MissingPart(Unreadable):
    """A rolled log of which a part is missing, or stands behind a later one."""


class BadArchive(Unreadable):
    """An upload that is refused whole: what was read of it before is not to be trusted."""
