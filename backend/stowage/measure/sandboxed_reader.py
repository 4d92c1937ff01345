"""Program that unpacks and reads untrusted uploads in a sandbox.

`stowage.features.measurements.sandboxed_reading` starts it by
`python -I -m stowage.measure.sandboxed_reader PARENT`, with the process id of the parent. The program imports the
readers and nothing else of Stowage, then drops all privileges that it does not need.

Messages from the parent, each a letter and its content:

``I``  the next input: JSON with `name`, `size_bytes`, `piece_bytes`
``P``  the piece that this program requested

Messages to the parent:

``S``  the sandbox is set up, sent once: JSON with `filtered`
``p``  request for a piece: its number
``F``  a file of the input begins: its path
``R``  a measurement: JSON
``J``  a logged job: JSON
``M``  a remark: JSON of `line`, `message`
``U``  the current file is unreadable: JSON of `line`, `message`
``A``  the whole input is rejected, and ends: JSON as in ``U``
``O``  out of memory; the program ends
``X``  internal error: the traceback; the program ends
``E``  the input ends
``.``  heartbeat
"""

import codecs
import io
import json
import sys
import time
import traceback
from contextlib import closing
from dataclasses import fields
from datetime import datetime
from typing import Any, BinaryIO, Final, cast

from stowage.measure import recognise
from stowage.measure.errors import BadArchive, Unreadable
from stowage.measure.files.archive import files_of
from stowage.measure.files.raw import RawStream
from stowage.measure.reading import Reading, Remark
from stowage.processes.sandbox import LIMITS, Limits, Sandbox

_BUFFER_BYTES: Final = 1 << 16
_CODECS: Final = ("utf-8", "utf-16-le", "utf-16-be", "ascii", "latin-1", "cp437")
"""Codecs of the readers. Python imports a codec at its first use, and the sandbox cannot open files."""

_NAMES: dict[type, tuple[str, ...]] = {}
"""Names of the fields of each class of records."""


def main(limits: Limits = LIMITS) -> None:
    """Read the inputs that the parent process sends, until it closes the pipe."""
    for name in _CODECS:
        codecs.lookup(name)
    # The first call imports the time parser, which is impossible in the sandbox.
    time.strptime("2000", "%Y")
    sandbox = Sandbox(int(sys.argv[-1]), limits)
    sandbox.send(b"S", json.dumps({"filtered": sandbox.filtered}).encode())
    try:
        while (message := sandbox.receive()) is not None:
            sandbox.renew()
            try:
                read(sandbox, **json.loads(message[1]))
            except Unreadable as error:
                sandbox.send(b"A", _json([error.line, error.message]))
            else:
                sandbox.send(b"E")
    except MemoryError:
        sandbox.send(b"O")
    except Exception:  # noqa: BLE001 - any fault is reported to the parent, which logs it
        sandbox.send(b"X", traceback.format_exc().encode("utf-8", "replace")[-8_000:])


def read(sandbox: Sandbox, *, name: str, size_bytes: int, piece_bytes: int) -> None:
    """Unpack an input and read each of its files.

    If a file of an archive is unreadable, the other files are still read.

    Raises
    ------
    Unreadable
        The whole input is rejected.
    """
    input_file = io.BufferedReader(_Pieces(sandbox, size_bytes, piece_bytes), _BUFFER_BYTES)
    with closing(cast("Any", files_of(input_file, name))) as files:
        for path, stream in files:
            sandbox.send(b"F", path.encode("utf-8", "replace"))
            _read_file(sandbox, stream)


def _read_file(sandbox: Sandbox, stream: BinaryIO) -> None:
    try:
        for found in recognise.read(io.BufferedReader(_Consumed(stream, sandbox), _BUFFER_BYTES)):
            sandbox.renew()
            if isinstance(found, Remark):
                sandbox.send(b"M", _json([found.line, found.message]))
            else:
                sandbox.send(b"R" if isinstance(found, Reading) else b"J", _json(found))
    except BadArchive:
        raise
    except Unreadable as error:
        sandbox.send(b"U", _json([error.line, error.message]))


class _Pieces(RawStream):
    """Input as a seekable file, of which only one piece is in memory.

    A piece is a range of bytes, which is requested from the parent process.
    """

    def __init__(self, sandbox: Sandbox, size_bytes: int, piece_bytes: int) -> None:
        self._sandbox = sandbox
        self._size_bytes = size_bytes
        self._piece_bytes = piece_bytes
        self._at = 0
        self._number = -1
        self._content = b""

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size_bytes}[whence]
        if start + offset < 0:
            raise ValueError(f"cannot seek to {start + offset}; accepted: 0 or more")
        self._at = start + offset
        return self._at

    def take(self, size: int) -> bytes:
        if self._at >= self._size_bytes:
            return b""
        number, first = divmod(self._at, self._piece_bytes)
        if number != self._number:
            self._sandbox.send(b"p", str(number).encode())
            answer = self._sandbox.receive()
            if answer is None or answer[0] != b"P":
                sys.exit("the parent has stopped sending pieces")
            self._content = answer[1]
            self._number = number
        given = self._content[first : first + size]
        self._at += len(given)
        return given


class _Consumed(RawStream):
    """One file of the input. Each read renews the CPU limit of the sandbox."""

    def __init__(self, stream: BinaryIO, sandbox: Sandbox) -> None:
        self._stream = stream
        self._sandbox = sandbox

    def take(self, size: int) -> bytes:
        given = self._stream.read(size)
        if given:
            self._sandbox.renew()
        return given


def _json(document: object) -> bytes:
    # JSON can contain unpaired surrogates, which UTF-8 cannot encode.
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode("utf-8", "replace")


def _plain(value: Any) -> str | dict[str, Any]:  # noqa: ANN401 - what JSON does not know
    """Return a time as text, and a record as a dict of its fields."""
    if isinstance(value, datetime):
        return value.isoformat()
    kind = type(value)
    names = _NAMES.get(kind) or _NAMES.setdefault(kind, tuple(each.name for each in fields(value)))
    return {name: getattr(value, name) for name in names}


if __name__ == "__main__":
    main()
