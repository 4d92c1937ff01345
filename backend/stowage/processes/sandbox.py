"""The sandbox, child side: a process drops its own privileges before it reads untrusted input.

Afterwards it can compute within its limits and exchange messages with its parent (`sandboxed`), and nothing else. The
module imports little of the standard library, to start fast.
"""

import math
import os
import resource
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from stowage.frozen import frozen
from stowage.processes import syscall_filter
from stowage.processes.parent import end_with

HEADER: Final = struct.Struct("=BI")
"""Header of a message in either direction: its kind, and the size of its content [bytes]."""
_MOST_FROM_PARENT_BYTES: Final = 16 << 20


@frozen
class Limits:
    """Resource limits of a process in the sandbox."""

    stretch_s: int = 5
    """Maximum CPU time between two calls of `Sandbox.renew`, i.e. without progress [s]."""
    total_s: int = 600
    """Maximum CPU time in total [s]."""
    memory_mib: int = 512
    """Maximum address space [MiB]."""


LIMITS: Final = Limits()


class Sandbox:
    """Sandbox around the calling process, with which it exchanges messages with its parent.

    The constructor drops the privileges of the process irrevocably.

    Parameters
    ----------
    parent : int
        Process id of the parent; the process ends with it.
    limits : Limits

    Attributes
    ----------
    filtered : bool
        Whether system calls are filtered. On systems without seccomp, only the resource limits apply.
    """

    def __init__(self, parent: int, limits: Limits = LIMITS) -> None:
        end_with(parent)
        with suppress(OSError):
            # If memory runs short, the kernel kills this process first.
            Path("/proc/self/oom_score_adj").write_text("1000")
        self._limits = limits
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, 3),
            (resource.RLIMIT_AS, limits.memory_mib << 20),
        ):
            with suppress(OSError, ValueError):  # macOS refuses some limits
                resource.setrlimit(kind, (most, most))
        self._total_s = math.ceil(time.process_time()) + limits.total_s
        self._spoke_at_s = 0.0
        self._renew_limit()
        self.filtered = syscall_filter.install()

    def renew(self) -> None:
        """Restart the limit on CPU time without progress.

        Call this method after each piece of progress. It sends the parent a heartbeat about once per second of CPU
        time.
        """
        self._renew_limit()
        if time.process_time() - self._spoke_at_s > 1.0:
            self.send(b".")

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Send the parent a message, which consists of one letter for its kind and of its content."""
        self._spoke_at_s = time.process_time()
        message = memoryview(HEADER.pack(kind[0], len(payload)) + payload)
        while message:
            message = message[os.write(1, message) :]

    def receive(self) -> tuple[bytes, bytes] | None:
        """Return the letter and the content of the parent's next message; None if the parent has closed the pipe."""
        header = _read_exactly(HEADER.size)
        if not header:
            return None
        kind, size = HEADER.unpack(header)
        if size > _MOST_FROM_PARENT_BYTES:
            raise ValueError(f"a message of {size:,} bytes; accepted: up to {_MOST_FROM_PARENT_BYTES:,}")
        return bytes((kind,)), _read_exactly(size)

    def _renew_limit(self) -> None:
        soft_s = min(math.ceil(time.process_time()) + self._limits.stretch_s, self._total_s)
        resource.setrlimit(resource.RLIMIT_CPU, (soft_s, self._total_s))


def _read_exactly(count: int) -> bytes:
    content = bytearray()
    while len(content) < count:
        more = os.read(0, count - len(content))
        if not more:
            if content:
                sys.exit("the parent's message is incomplete")
            return b""
        content += more
    return bytes(content)
