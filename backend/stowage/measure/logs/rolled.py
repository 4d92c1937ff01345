"""Rolled event logs of Spark: the several files of one application are joined and read as one log.

The files are `events_1_ID`, `events_2_ID` and so on. Spark 4 rolls and compresses its logs by default, in a folder
`eventlog_v2_ID` for each application.

**Source** Spark 4.0.1: `org.apache.spark.deploy.history.RollingEventLogFilesWriter` for the names and order of the
files, and logs that this version wrote.
"""

import io
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from stowage.frozen import frozen
from stowage.measure.errors import MissingPart
from stowage.measure.files.raw import RawStream

_CHUNK: Final = 1 << 16
_PART: Final = re.compile(
    r"(?P<folder>(?:.*/)?)events_(?P<number>[0-9]{1,9})_(?P<application>[^/.]+)(?:\.(?!compact\b)[a-z0-9]+)?(?P<compact>\.compact)?"
)
_STATUS: Final = re.compile(r"(?:.*/)?appstatus_[^/]+")
"""Name of an empty file beside the parts; it shows whether the application has ended."""


@frozen
class _Part:
    """One file of a rolled log."""

    log: tuple[str, str]
    """Folder and application of the log."""
    number: int
    """Number of the file in the log, from 1."""
    compact: bool
    """Whether the History Server wrote this file to replace the file with this number and all earlier files."""


def order(path: str) -> tuple[bool, tuple[str, str], int]:
    """Return a sort key for the paths of files.

    It puts the files of each rolled log in order, after all other files.

    Examples
    --------
    >>> sorted(["events_10_app", "events_9_app", "events_9_app.crc.txt", "other"], key=order)
    ['events_9_app.crc.txt', 'other', 'events_9_app', 'events_10_app']
    """
    part = _part(path)
    return (False, ("", ""), 0) if part is None else (True, part.log, part.number)


def is_part(path: str) -> bool:
    """Return whether a file is one of the files of a rolled log."""
    return _part(path) is not None


def replaced(paths: Iterable[str]) -> set[str]:
    """Return the files of rolled logs that a later file replaces.

    The History Server compacted them into a later file in ``paths``.

    Examples
    --------
    >>> sorted(replaced(["events_1_app", "events_2_app", "events_2_app.compact", "events_3_app"]))
    ['events_1_app', 'events_2_app']
    """
    parts = [(path, part) for path in paths if (part := _part(path)) is not None]
    newest: dict[tuple[str, str], int] = {}
    for _, part in parts:
        if part.compact:
            newest[part.log] = max(part.number, newest.get(part.log, 0))
    # Of two parts with one number, the compact part is newer.
    return {path for path, part in parts if (part.number, part.compact) < (newest.get(part.log, 0), True)}


def joined(files: Iterable[tuple[str, BinaryIO]]) -> Iterator[tuple[str, BinaryIO]]:
    """Yield files with their paths, with each rolled log as one file.

    The path of a rolled log is that of its folder.

    Parameters
    ----------
    files : iterable of tuple of str and BinaryIO
        Files with their paths. The files of a rolled log must be consecutive and sorted (`order`). A stream is valid
        until the next one is requested.
    """
    left = iter(files)
    found = next(left, None)
    while found is not None:
        path, stream = found
        part = _part(path)
        if part is not None:
            log = _Log(left, path, part, stream)
            yield part.log[0].rstrip("/") or path, io.BufferedReader(log, _CHUNK)
            found = log.behind()
            continue
        if not _STATUS.fullmatch(path):
            yield path, stream
        found = next(left, None)


def _part(path: str) -> _Part | None:
    found = _PART.fullmatch(path)
    if found is None:
        return None
    return _Part((found["folder"], found["application"]), int(found["number"]), found["compact"] is not None)


class _Log(RawStream):
    """Stream of all files of one rolled log, one after the other."""

    def __init__(self, files: Iterator[tuple[str, BinaryIO]], path: str, first: _Part, stream: BinaryIO) -> None:
        self._files = files
        self._path = path
        self._part = first
        self._stream: BinaryIO | None = stream
        self._behind: tuple[str, BinaryIO] | None = None
        self._missing = None if first.compact or first.number == 1 else 1

    def take(self, size: int) -> bytes:
        while self._stream is not None:
            if self._missing is not None:
                raise MissingPart(
                    f"part {self._missing} of the event log is not before {self._path.rpartition('/')[2]!a}; "
                    "accepted: all parts of a rolled log in their order, or in a zip"
                )
            if data := self._stream.read(size):
                return data
            self._next()
        return b""

    def behind(self) -> tuple[str, BinaryIO] | None:
        """Skip the rest of the log, and return the file that follows it.

        The result is None if no file follows.
        """
        while self._stream is not None:
            self._next()
        return self._behind

    def _next(self) -> None:
        found = next(self._files, None)
        part = None if found is None else _part(found[0])
        if found is None or part is None or part.log != self._part.log:
            self._stream, self._behind = None, found
            return
        if part.number != self._part.number + 1:
            self._missing = self._missing or self._part.number + 1
        self._path, self._stream = found
        self._part = part
