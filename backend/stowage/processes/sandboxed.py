"""The sandbox, parent side: start a program, exchange messages with it, kill it.

The program's output is untrusted: this module limits its length, the caller validates its content.
"""

import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from signal import SIGKILL, SIGXCPU, Signals
from types import TracebackType
from typing import Final, Self

from stowage.processes.errors import ChildFailed
from stowage.processes.priority import yield_session
from stowage.processes.sandbox import HEADER

_CHUNK: Final = 1 << 16
_LOOK_EVERY_S: Final = 0.25
SILENT_FOR_S: Final = 120.0
"""Timeout for a message [s]. It is far above the CPU limit, so a program that is silent for this long is deadlocked."""
MOST_OUTPUT_BYTES: Final = 128 << 20


class Stopped(ChildFailed):
    """The program ended early: by a limit, by a crash, or after an invalid message."""


class TooMuch(Stopped):
    """The program sent more than `MOST_OUTPUT_BYTES`."""


class Overdue(ChildFailed):
    """The program was killed because `extend` was not called in time; the caller may have lost its lease."""


class Sandboxed:
    """A program that runs in a sandbox, started and controlled by its parent process.

    Parameters
    ----------
    command : sequence of str
        The command; the id of this process is appended as its last argument.
    on_wait : callable
        Called several times a second while waiting for the program. An exception ends the wait.
    limit_words : str
        Reason to report for a program that reached its CPU limit: ``it used over 10 s of CPU time``.
    """

    def __init__(self, command: Sequence[str], on_wait: Callable[[], None], limit_words: str) -> None:
        self._on_wait = on_wait
        self._limit_words = limit_words
        self._kill_at: float | None = None
        self._overdue = False
        self._ended = threading.Event()
        self._received = bytearray()
        self._received_bytes = 0
        self._process = subprocess.Popen(  # noqa: S603 - a program of ours
            [*command, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            close_fds=True,
            start_new_session=True,
        )
        if os.nice(0):  # a new session has the usual weight, however low the priority here is
            yield_session(self._process.pid)
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._watch = threading.Thread(target=self._kill_when_overdue, name="sandbox", daemon=True)
        self._watch.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Return the process id of the program."""
        return self._process.pid

    def extend(self, seconds: float) -> None:
        """Set the time after which the program is killed, counted from now [s].

        The program is killed even if the calling thread is blocked at that time.
        """
        self._kill_at = time.monotonic() + seconds

    def begin_input(self) -> None:
        """Reset the count of output bytes, because their limit applies to each input separately."""
        self._received_bytes = 0

    def kill(self) -> None:
        """Kill the program and wait for its end."""
        self._ended.set()
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._watch.join()

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Send the program a message, which consists of one letter for its kind and of its content.

        Raises
        ------
        Stopped
            The program ended, or does not read its input.
        Overdue
        """
        message = memoryview(HEADER.pack(kind[0], len(payload)) + payload)
        while message:
            self._await(self._to, select.POLLOUT)
            try:
                message = message[os.write(self._to, message[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._end() from None

    def receive(self) -> tuple[bytes, bytes]:
        """Return the letter (the kind) and the content of the program's next message.

        Raises
        ------
        Stopped
            The program ended, or sent nothing for `SILENT_FOR_S`.
        TooMuch
        Overdue
        """
        while True:
            if len(self._received) >= HEADER.size:
                kind, size = HEADER.unpack_from(self._received)
                if size > MOST_OUTPUT_BYTES:
                    raise self._too_much()
                end = HEADER.size + size
                if len(self._received) >= end:
                    payload = bytes(self._received[HEADER.size : end])
                    del self._received[:end]
                    return bytes((kind,)), payload
            self._await(self._from, select.POLLIN)
            try:
                more = os.read(self._from, 1 << 20)
            except BlockingIOError:
                continue
            if not more:
                raise self._end()
            self._received += more
            self._received_bytes += len(more)
            if self._received_bytes > MOST_OUTPUT_BYTES:
                raise self._too_much()

    def _await(self, descriptor: int, event: int) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        deadline = time.monotonic() + SILENT_FOR_S
        self._on_wait()
        while not poll.poll(_LOOK_EVERY_S * 1000):
            self._on_wait()
            if time.monotonic() > deadline:
                self._process.kill()
                raise Stopped(f"it did not respond for {SILENT_FOR_S:.0f} s")

    def _end(self) -> ChildFailed:
        """Return an exception with the reason why the program ended."""
        status = self._process.wait()
        if self._overdue:
            return Overdue("its time was not extended")
        if status == -SIGXCPU:
            return Stopped(self._limit_words)
        if status == -SIGKILL:
            return Stopped("it was killed, probably for its memory or CPU time")
        return Stopped(f"it crashed ({Signals(-status).name})" if status < 0 else "it ended early")

    def _too_much(self) -> TooMuch:
        self._process.kill()
        return TooMuch(f"its output exceeds {MOST_OUTPUT_BYTES:,} bytes")

    def _kill_when_overdue(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            if self._kill_at is not None and time.monotonic() > self._kill_at:
                self._overdue = True
                self._process.kill()
                return
