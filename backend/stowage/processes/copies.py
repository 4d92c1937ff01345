"""Copies of this process that do the same work side by side: forked, watched, forked again, stopped.

Python runs one thread of a process at a time; copies use as many cores as there are. What this process made before
(a catalogue and what searches took from it) they have at once, and share its memory while nobody writes to it.
"""

import multiprocessing
import os
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from types import FrameType
from typing import Protocol

from stowage.processes.child import BACK_OFF_S, WINDOW_S, how_it_ended
from stowage.processes.errors import ChildFailed
from stowage.processes.parent import end_with

_ASKED_TO_END = (signal.SIGINT, signal.SIGTERM)
_FORKS = multiprocessing.get_context("fork")


class Work(Protocol):
    """What a copy does: called with its number, from 1, and with what it calls as soon as it is at work.

    It returns, or raises `SystemExit`, when SIGTERM asks it to.
    """

    def __call__(self, number: int, started: Callable[[], None], /) -> None:
        """Work until asked to end."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of this process.

    They are forked by the main thread, which lives as long as this process: with it they end, even where it is killed.
    This process must have no connection open that a copy would share, and no thread that holds what a copy waits for.

    Parameters
    ----------
    name : str
        What people know one as.
    count : int
        At least 1.
    work : Work
    say : callable
        Is told, in one line, that one was started again.
    stop_within_s : float
        How long one may take to end when it is asked to; then it is killed. [s]
    """

    name: str
    count: int
    work: Work
    say: Callable[[str], None]
    stop_within_s: float

    def run(self, started: Callable[[], None]) -> None:
        """Keep them running until SIGINT or SIGTERM; then stop them, and raise the signal once more.

        Parameters
        ----------
        started : callable
            Called once, when all are at work.

        Raises
        ------
        ChildFailed
            One did not get to work, or does not stay at it.
        """
        with _noted() as (asked, bell):
            running: list[ForkProcess] = []
            try:
                begun = [self._forked(number, running) for number in range(1, self.count + 1)]
                if self._are_at_work(running, begun, asked, bell):
                    started()
                    self._keep(running, asked, bell)
            finally:
                self._stop(running)

    def _forked(self, number: int, running: list[ForkProcess]) -> Connection:
        """Fork one, at its place among the others; what it gives can be read as soon as that one is at work."""
        begun, tell = _FORKS.Pipe(duplex=False)
        copy = _FORKS.Process(target=self._work, args=(number, tell, os.getpid()), name=f"{self.name} {number}")
        # A signal that comes between fork and handlers would be noted by a copy that nobody asks.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ASKED_TO_END)
        try:
            copy.start()
            running[number - 1 : number] = [copy]
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED_TO_END)
        tell.close()
        return begun

    def _work(self, number: int, tell: Connection, parent: int) -> None:
        # Ctrl-C in the terminal is for the parent, which asks its copies to end.
        os.setsid()
        signal.set_wakeup_fd(-1)
        for asked in _ASKED_TO_END:
            signal.signal(asked, _end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED_TO_END)
        end_with(parent)

        def started() -> None:
            with tell, suppress(BrokenPipeError):  # nobody waits for one that was started again
                tell.send_bytes(b"\0")

        self.work(number, started)

    def _are_at_work(
        self, running: Sequence[ForkProcess], begun: Sequence[Connection], asked: Sequence[int], bell: socket.socket
    ) -> bool:
        """Wait until all are at work; say no where this process is asked to end before."""
        for copy, connection in zip(running, begun, strict=True):
            with connection:
                while not asked and connection not in wait([connection, bell]):
                    _hush(bell)
                try:
                    if not asked:
                        connection.recv_bytes()
                except EOFError:
                    copy.join()
                    raise ChildFailed(f"{self.name} {how_it_ended(copy.exitcode or 0)} at its start") from None
        return not asked

    def _keep(self, running: list[ForkProcess], asked: Sequence[int], bell: socket.socket) -> None:
        """Start again what ends, until this process is asked to end."""
        restarts: deque[float] = deque()
        while not asked:
            wait([bell, *(copy.sentinel for copy in running)])
            _hush(bell)
            for number, copy in enumerate(running, start=1):
                if asked or copy.is_alive():
                    continue
                how = how_it_ended(copy.exitcode or 0)
                while restarts and restarts[0] < time.monotonic() - WINDOW_S:
                    restarts.popleft()
                if len(restarts) == len(BACK_OFF_S):
                    raise ChildFailed(f"{self.name} {how}, after {len(restarts)} restarts within {WINDOW_S:.0f} s")
                wait([bell], BACK_OFF_S[len(restarts)])
                restarts.append(time.monotonic())
                self._forked(number, running).close()
                with suppress(OSError):  # the terminal may be gone
                    self.say(f"{self.name} {how} and was started again")

    def _stop(self, running: Sequence[ForkProcess]) -> None:
        for copy in running:
            copy.terminate()
        deadline = time.monotonic() + self.stop_within_s
        for copy in running:
            copy.join(max(0.0, deadline - time.monotonic()))
            if copy.is_alive():
                copy.kill()
                copy.join()


@contextmanager
def _noted() -> Iterator[tuple[list[int], socket.socket]]:
    """Note signals instead of handling them within the block, and raise them once more behind it.

    Yields
    ------
    (list of int, socket.socket)
        The signals that came, and what can be read when one has: raised in the middle of a fork they would leave a
        process that nobody knows of.
    """
    asked: list[int] = []
    bell, ring = socket.socketpair()
    with bell, ring:
        bell.settimeout(0.0)
        ring.settimeout(0.0)
        handlers = {number: signal.signal(number, lambda came, _: asked.append(came)) for number in _ASKED_TO_END}
        rung_before = signal.set_wakeup_fd(ring.fileno(), warn_on_full_buffer=False)
        try:
            yield asked, bell
        finally:
            signal.set_wakeup_fd(rung_before)
            for number, handler in handlers.items():
                signal.signal(number, handler)
    for came in asked:
        signal.raise_signal(came)


def _hush(bell: socket.socket) -> None:
    with suppress(BlockingIOError):
        bell.recv(64)


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)
