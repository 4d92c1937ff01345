"""Errors that readers raise for uploaded files.

Unreadable          the whole file is rejected, nothing of it is stored
├── MissingPart     the file is a rolled Spark event log with missing or misordered files
└── BadArchive      the whole upload is rejected, with all other files of the archive
"""


class Unreadable(Exception):
    """Error for a file that is rejected as a whole. Nothing of it is stored.

    Parameters
    ----------
    message : str
        Description of the file, and of what is accepted.
    line : int or None
        Number of the line with the error, from 1.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class MissingPart(Unreadable):
    """Error for a rolled Spark event log with missing or misordered files."""


class BadArchive(Unreadable):
    """Error for an upload that is rejected as a whole.

    Results that were already read from it must not be trusted.
    """
