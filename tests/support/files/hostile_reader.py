"""A reader of uploads as an exploit in a file could make it; run as `hostile_reader.py WAY PARENT`."""

import ctypes
import mmap
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from stowage.measure import recognise, sandboxed_reader
from stowage.measure.reading import Reading, Remark
from stowage.processes.sandbox import Limits

LIMITS = Limits(stretch_s=1, total_s=60, memory_mib=256)
PARENT = sys.argv[-1]


def loop(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    while True:
        pass


def remember(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    held = [bytes(1 << 20)]
    while held:
        held.append(bytes(1 << 20))
    yield from ()


def crash(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    ctypes.string_at(0)
    yield from ()


def end(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    os._exit(0)


def fail(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    raise ZeroDivisionError("a bug, not a property of the file")


def say(message: bytes) -> Callable[[BinaryIO], Iterator[Reading | Remark]]:
    def said(_stream: BinaryIO) -> Iterator[Reading | Remark]:
        os.write(1, message)
        yield from ()

    return said


def flood(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    while True:
        yield Remark(1, "x" * 60_000)


def wait(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    os.read(0, 1)
    yield from ()


def reach_out(_stream: BinaryIO) -> Iterator[Reading | Remark]:
    """Try everything that the sandbox forbids, and report the outcomes."""
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
        except (OSError, RuntimeError, ValueError) as error:
            yield Remark(1, f"{name}: {type(error).__name__}")
        else:
            yield Remark(1, f"{name}: done")


ATTEMPTS: dict[str, Callable[[], object]] = {
    "open a file": lambda: Path("/etc/passwd").read_bytes(),
    "look at a file": Path("/etc/passwd").stat,
    "write a file": lambda: Path("/tmp/hostile").write_text("x"),  # noqa: S108 - must fail
    "list a folder": lambda: list(Path("/").iterdir()),
    "open a socket": lambda: socket.socket(socket.AF_INET),
    "open a Unix socket": lambda: socket.socket(socket.AF_UNIX),
    "fork": os.fork,
    "start a thread": lambda: threading.Thread(target=print).start(),
    "execute": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606 - must fail
    "signal the parent": lambda: os.kill(int(PARENT), 0),
    "map code": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    "limit the parent": lambda: __import__("resource").prlimit(int(PARENT), 7, (1, 1)),
    "raise its limits": lambda: __import__("resource").setrlimit(9, (1 << 40, 1 << 40)),
}

IMPOSSIBLE = (
    b'{"source": "spark", "version": "3", "name": "\\u0000", "line": 1, "kind": "hdfs-read", '
    b'"started_at": "2026-01-01T00:00:00Z", "time_s": -1, "nodes": 0, "input_mb": 1, "shuffled_mb": 0, '
    b'"output_mb": 0, "cpu_mb_per_s": null, "phases_s": []}'
)

WAYS: dict[str, Callable[[BinaryIO], Iterator[Reading | Remark]]] = {
    "loop": loop,
    "remember": remember,
    "crash": crash,
    "end": end,
    "fail": fail,
    "flood": flood,
    "wait": wait,
    "reach out": reach_out,
    "ask for a piece that is not": say(b"p" + (2).to_bytes(4, sys.byteorder) + b"99"),
    "claim a gigabyte": say(b"R" + (1 << 30).to_bytes(4, sys.byteorder)),
    "answer nonsense": say(b"R" + (2).to_bytes(4, sys.byteorder) + b"{}"),
    "answer with an impossible job": say(b"J" + len(IMPOSSIBLE).to_bytes(4, sys.byteorder) + IMPOSSIBLE),
    "answer in another tongue": say(b"?" + (0).to_bytes(4, sys.byteorder)),
}

if __name__ == "__main__":
    recognise.read = WAYS[sys.argv[1]]  # type: ignore[assignment]
    sandboxed_reader.main(LIMITS)
