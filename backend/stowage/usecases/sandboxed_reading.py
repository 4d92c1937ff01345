"""Reading what strangers sent, in a process that can be killed: what to start, and what its answers mean.

Everything that comes back is checked before it is believed: whoever gets a reader to execute what is in a file can
answer for it.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from stowage.measure.errors import BadArchive, Unreadable
from stowage.measure.reading import Reading, Remark
from stowage.processes.sandbox import LIMITS
from stowage.processes.sandboxed import Sandboxed, Stopped, TooMuch

log = logging.getLogger(__name__)

READER: Final[tuple[str, ...]] = (sys.executable, "-I", "-m", "stowage.measure.sandboxed_reader")
MOST_FAILURES: Final = 2
"""So often a process may be stopped while it reads the same input; then the input is refused."""
_LIMIT_WORDS: Final = f"it computed for over {LIMITS.stretch_s} s without reading on"

_READING: Final = TypeAdapter(Reading)
_REMARK: Final = TypeAdapter(tuple[int, str])
_PROBLEM: Final = TypeAdapter(tuple[int | None, str])
_NUMBER: Final = TypeAdapter(int)
_ABOUT: Final = TypeAdapter(dict[str, bool])


@dataclass(frozen=True, slots=True)
class Input:
    """What is to be read.

    Parameters
    ----------
    name : str
    size_bytes : int
    piece_bytes : int
        Of each piece but the last.
    piece : callable
        Returns a piece by its number, from 0.
    """

    name: str
    size_bytes: int
    piece_bytes: int
    piece: Callable[[int], bytes]

    @classmethod
    def of(cls, name: str, content: bytes) -> "Input":
        """Return an input that is in memory."""
        size = 1 << 20
        return cls(name, len(content), size, lambda number: content[number * size : (number + 1) * size])


@dataclass(frozen=True, slots=True)
class FileBegun:
    """What follows is of this file of the input."""

    path: str


@dataclass(frozen=True, slots=True)
class FileUnreadable:
    """Nothing of the file that was begun last is to be kept."""

    error: Unreadable


Found = FileBegun | FileUnreadable | Reading | Remark


class _GoesOn:
    """Nothing was found yet."""


class ReaderFault(Exception):
    """A reader raised what it should not: a fault of ours, not of the file."""


class SandboxedReader:
    """A process that reads inputs.

    Parameters
    ----------
    on_wait : callable
        Called several times a second while the process works. What it raises ends the reading.
    command : sequence of str
        The program, `READER` everywhere but in tests.

    Attributes
    ----------
    process : Sandboxed
    filtered : bool
        Whether its system calls are filtered.
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
        """Read an input; the iterator must be exhausted before the next input is read.

        Raises
        ------
        BadArchive
            The input is refused whole: what was yielded before is not to be kept.
        Stopped
            The process ended in the middle: by a limit, by a crash, or because it was not what it should be.
        Overdue
            See `Sandboxed.extend`.
        ReaderFault
            A fault of ours.
        """
        self.process.begin_input()
        pieces = -(-source.size_bytes // source.piece_bytes)
        about = {"name": source.name, "size_bytes": source.size_bytes, "piece_bytes": source.piece_bytes}
        self.process.send(b"I", json.dumps(about).encode())
        while (found := self._next(source, pieces)) is not None:
            if not isinstance(found, _GoesOn):
                yield found

    def _next(self, source: Input, pieces: int) -> "Found | _GoesOn | None":
        """Wait for the next message and return what it says; None at the end of the input."""
        kind, payload = self.process.receive()
        if kind == b"p":
            number = _parsed(_NUMBER, payload)
            if not 0 <= number < pieces:
                raise _nonsense()
            self.process.send(b"P", source.piece(number))
            return _GoesOn()
        if kind == b"E":
            return None
        if kind == b"O":
            raise Stopped(f"it needed more than {LIMITS.memory_mib} MiB of memory")
        if kind == b"X":
            log.error("a reader failed: %s", payload[:8_000].decode("utf-8", "replace"))
            raise ReaderFault("a reader failed; its traceback is in the log")
        if kind == b"A":
            line, message = _parsed(_PROBLEM, payload)
            raise BadArchive(message, line)
        if kind not in _FINDS:
            raise _nonsense()
        return _FINDS[kind](payload)


@contextmanager
def reader(on_wait: Callable[[], None], command: Sequence[str] | None = None) -> Iterator[SandboxedReader]:
    """Start a process that reads; within the block it lives, behind it it is gone."""
    started = SandboxedReader(on_wait, READER if command is None else command)
    with started.process:
        yield started


def refusal(stopped: Sequence[Stopped]) -> Unreadable:
    """Say why an input is refused whose reading was stopped too often."""
    if isinstance(stopped[-1], TooMuch):
        return BadArchive("What it holds is too long altogether; upload it in parts")
    times = "twice" if len(stopped) > 1 else "once"
    accepted = "Accepted is what a benchmark tool wrote; if this is, upload it in smaller parts"
    return BadArchive(f"Reading it was stopped {times}: {stopped[-1]}. {accepted}")


def _parsed(adapter: TypeAdapter[Any], payload: bytes) -> Any:  # noqa: ANN401 - as the adapter says
    try:
        return adapter.validate_json(payload)
    except ValidationError:
        raise _nonsense() from None


def _nonsense() -> Stopped:
    return Stopped("it answered with what a reader does not answer")


def _unreadable(payload: bytes) -> FileUnreadable:
    line, message = _parsed(_PROBLEM, payload)
    return FileUnreadable(Unreadable(message, line))


def _reading(payload: bytes) -> Reading:
    reading: Reading = _parsed(_READING, payload)
    return reading


_FINDS: Final[dict[bytes, Callable[[bytes], "Found | _GoesOn"]]] = {
    b"F": lambda payload: FileBegun(payload.decode("utf-8", "replace")),
    b"R": _reading,
    b"M": lambda payload: Remark(*_parsed(_REMARK, payload)),
    b"U": _unreadable,
    b".": lambda _payload: _GoesOn(),
}
