"""Errors of uploaded files.

Unreadable          the whole file is rejected, nothing of it is stored
├── MissingPart     the file is a rolled Spark event log with missing or misordered files
└── BadArchive      the whole upload is rejected, with all other files of the archive
"""


class Unreadable(Exception):
    """A file that is rejected; nothing of it is stored.

    Parameters
    ----------
    message : str
        Describes the file, and what is accepted.
    line : int or None
        Line number, from 1.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class MissingPart(Unreadable):
    """A rolled Spark event log: one of its files is missing, or its files are out of order."""


class BadArchive(Unreadable):
    """An upload that is rejected as a whole. Results already read from it must not be trusted."""
