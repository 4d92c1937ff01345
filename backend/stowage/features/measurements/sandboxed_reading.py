"""Client of the sandboxed process that reads untrusted files.

Every message from the process is validated: a file that exploits a bug in a reader controls what the process sends.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from stowage.frozen import frozen
from stowage.measure.errors import BadArchive, Unreadable
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.reading import Reading, Remark
from stowage.processes.sandbox import LIMITS
from stowage.processes.sandboxed import Sandboxed, Stopped, TooMuch

log = logging.getLogger(__name__)

READER: Final[tuple[str, ...]] = (sys.executable, "-I", "-m", "stowage.measure.sandboxed_reader")
MOST_FAILURES: Final = 2
"""Number of times the reader may be stopped before the input is refused."""
_LIMIT_WORDS: Final = f"it used over {LIMITS.stretch_s} s of CPU time without progress"

_READING: Final = TypeAdapter(Reading)
_LOGGED_JOB: Final = TypeAdapter(LoggedJob)
_REMARK: Final = TypeAdapter(tuple[int, str])
_PROBLEM: Final = TypeAdapter(tuple[int | None, str])
_NUMBER: Final = TypeAdapter(int)
_ABOUT: Final = TypeAdapter(dict[str, bool])

_Parsed = TypeVar("_Parsed")


@frozen
class Input:
    """One file or archive to read, which is sent to the process in pieces."""

    name: str
    size_bytes: int
    piece_bytes: int
    """Size of each piece except the last one."""
    piece: Callable[[int], bytes]
    """Returns the piece that has the given number; numbers start at 0."""

    @classmethod
    def of(cls, name: str, content: bytes) -> "Input":
        """Return an input whose content is in memory."""
        size = 1 << 20
        return cls(name, len(content), size, lambda number: content[number * size : (number + 1) * size])


@frozen
class FileBegun:
    """Message at the start of each file of the input; the following results belong to this file."""

    path: str


@frozen
class FileUnreadable:
    """Message that the current file is unreadable; its results so far must be discarded."""

    error: Unreadable


Found = FileBegun | FileUnreadable | Reading | LoggedJob | Remark


class _GoesOn:
    """Message without a result, which shows that the process is still working."""


class ReaderFault(Exception):
    """Error for an unexpected exception in a reader, which is a bug and not a property of the file."""


class SandboxedReader:
    """A sandboxed process that reads inputs.

    Parameters
    ----------
    on_wait : callable
        Called several times a second while the process works. Its exceptions end the reading.
    command : sequence of str
        Command of the process, by default `READER`; tests use another command.

    Attributes
    ----------
    process : Sandboxed
    filtered : bool
        Whether the system calls of the process are filtered.
    """

    def __init__(self, on_wait: Callable[[], None], command: Sequence[str] = READER) -> None:
        self.process = Sandboxed(command, on_wait, _LIMIT_WORDS)
        try:
            kind, payload = self.process.receive()
            self.filtered = kind == b"S" and bool(_parsed(_ABOUT, payload).get("filtered"))
        except BaseException:
            self.process.kill()
            raise

    def read(self, source: Input) -> Iterator[Found]:
        """Read an input, and yield its results.

        The iterator must be exhausted before the next input is read.

        Raises
        ------
        BadArchive
            The whole input is refused, and the caller must discard the results received so far.
        Stopped
            The process ended early: by a limit, by a crash, or after an invalid message.
        Overdue
            See `Sandboxed.extend`.
        ReaderFault
            A bug in a reader.
        """
        self.process.begin_input()
        pieces = -(-source.size_bytes // source.piece_bytes)
        about = {"name": source.name, "size_bytes": source.size_bytes, "piece_bytes": source.piece_bytes}
        self.process.send(b"I", json.dumps(about).encode())
        while (found := self._next(source, pieces)) is not None:
            if not isinstance(found, _GoesOn):
                yield found

    def _next(self, source: Input, pieces: int) -> "Found | _GoesOn | None":
        """Receive the next message of the process, and return its result.

        The result is None at the end of the input.
        """
        kind, payload = self.process.receive()
        if kind == b"p":
            number = _parsed(_NUMBER, payload)
            if not 0 <= number < pieces:
                raise _invalid_message()
            self.process.send(b"P", source.piece(number))
            return _GoesOn()
        if kind == b"E":
            return None
        if kind == b"O":
            raise Stopped(f"it used more than {LIMITS.memory_mib} MiB of memory")
        if kind == b"X":
            log.error("a reader failed: %s", payload[:8_000].decode("utf-8", "replace"))
            raise ReaderFault("a reader failed; its traceback is in the log")
        if kind == b"A":
            line, message = _parsed(_PROBLEM, payload)
            raise BadArchive(message, line)
        if kind not in _FINDS:
            raise _invalid_message()
        return _FINDS[kind](payload)


@contextmanager
def reader(on_wait: Callable[[], None], command: Sequence[str] | None = None) -> Iterator[SandboxedReader]:
    """Yield a sandboxed process that reads files, and kill the process at the end of the `with` block."""
    started = SandboxedReader(on_wait, READER if command is None else command)
    with started.process:
        yield started


def refusal(stopped: Sequence[Stopped]) -> Unreadable:
    """Return the error that refuses an input after its reader was stopped too often."""
    if isinstance(stopped[-1], TooMuch):
        return BadArchive("The results in the file are too large; split it into smaller files")
    times = "twice" if len(stopped) > 1 else "once"
    accepted = "Accepted: output of a benchmark tool or a log of finished jobs; split large files into smaller ones"
    return BadArchive(f"The reader was stopped {times}: {stopped[-1]}. {accepted}")


def _parsed(adapter: TypeAdapter[_Parsed], payload: bytes) -> _Parsed:
    try:
        return adapter.validate_json(payload)
    except ValidationError:
        raise _invalid_message() from None


def _invalid_message() -> Stopped:
    return Stopped("it sent an invalid message")


def _unreadable(payload: bytes) -> FileUnreadable:
    line, message = _parsed(_PROBLEM, payload)
    return FileUnreadable(Unreadable(message, line))


def _logged_job(payload: bytes) -> LoggedJob:
    job = _parsed(_LOGGED_JOB, payload)
    if not plausible(job):
        raise _invalid_message()
    return job


_FINDS: Final[dict[bytes, Callable[[bytes], "Found | _GoesOn"]]] = {
    b"F": lambda payload: FileBegun(payload.decode("utf-8", "replace")),
    b"R": lambda payload: _parsed(_READING, payload),
    b"J": _logged_job,
    b"M": lambda payload: Remark(*_parsed(_REMARK, payload)),
    b"U": _unreadable,
    b".": lambda _payload: _GoesOn(),
}
