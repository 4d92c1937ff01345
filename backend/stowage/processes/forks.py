"""Forked processes of this program: start, supervision, restart and stop.

Forks have everything that this process has loaded (modules, a catalog and data derived from it) without loading it
again, and share that memory until one of them writes to it.
"""

import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from types import FrameType
from typing import TypeVar

from stowage.frozen import frozen
from stowage.processes.child import BACK_OFF_S, Restarts, how_it_ended
from stowage.processes.errors import ChildFailed
from stowage.processes.log import appended, last_lines
from stowage.processes.parent import end_with, set_title

_ASKED_TO_END = (signal.SIGINT, signal.SIGTERM)
_FORKS = multiprocessing.get_context("fork")

Result = TypeVar("Result")

Work = Callable[[Callable[[], None]], None]
"""Main function of a forked process. Its argument is a function that it must call as soon as it is ready. It returns,
or raises `SystemExit`, when it is asked to end."""


@frozen
class Fork:
    """A process to fork and keep running."""

    name: str
    """Name of the process in messages."""
    title: str
    """Name of the process in `ps` and `top`, at most 15 bytes."""
    work: Work
    log: Path | None = None
    """File to which standard output and standard error are appended; None to inherit them."""
    stop_by: tuple[tuple[Signals, float], ...] = ((SIGTERM, 10.0),)
    """Signals that ask the process to end, each with the time to wait before the next signal [s]. SIGKILL follows the
    last one."""


@dataclass(slots=True)
class _Supervised:
    """State of one fork: its current process, its recent restarts, and the time of its next restart."""

    fork: Fork
    process: ForkProcess | None = None
    restarts: Restarts = field(default_factory=lambda: Restarts(BACK_OFF_S))
    due: float | None = None
    how_it_ended: str = ""
    log_size: int = 0


def run_forks(first: Sequence[Fork], started: Callable[[], Sequence[Fork]], say: Callable[[str], None]) -> None:
    """Keep forks running until SIGINT or SIGTERM, then stop them and raise the signal again.

    The main thread creates the forks, so they end with this process even if it is killed. This process must have no
    open connections, because its forks would share them. None of its threads may have locked anything that a fork uses.

    Parameters
    ----------
    first : sequence of Fork
        Processes to fork at once.
    started : callable
        Called once, when all of `first` are ready; returns further forks to start.
    say : callable
        Called with a one-line message when a fork was restarted.

    Raises
    ------
    ChildFailed
        One of `first` did not become ready, or a fork does not stay up.
    """
    with _noted() as (asked, bell):
        kept = [_Supervised(fork) for fork in first]
        try:
            if _are_at_work(kept, [_start(each) for each in kept], asked, bell):
                for fork in started():
                    kept.append(_Supervised(fork))
                    _start(kept[-1]).close()
                _keep(kept, asked, bell, say)
        finally:
            _stop(kept)


def in_fork(work: Callable[[], Result]) -> Result:
    """Run a function in a fork, and return its result or raise its exception.

    All memory that it used is returned to the system, also what this process would keep of it: imported modules, and
    pages of which only a part is still used. Results and exceptions must be picklable.

    Raises
    ------
    ChildFailed
        The fork ended without a result.
    """
    told, tell = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_tell, args=(work, tell, os.getpid()))
    process.start()
    tell.close()
    try:
        with told:
            found, error = told.recv()
    except EOFError:
        process.join()
        raise ChildFailed(f"a fork {how_it_ended(process.exitcode or 0)} without a result") from None
    finally:
        process.terminate()
        process.join()
    if error is not None:
        raise error
    result: Result = found
    return result


def _tell(work: Callable[[], object], tell: Connection, parent: int) -> None:
    for asked in _ASKED_TO_END:
        signal.signal(asked, signal.SIG_DFL)
    end_with(parent)
    with tell:
        try:
            tell.send((work(), None))
        except Exception as error:  # noqa: BLE001 - raised again by the parent
            tell.send((None, error))


def _start(kept: _Supervised) -> Connection:
    """Fork a process, and return a connection that becomes readable when the process is ready or ends."""
    begun, tell = _FORKS.Pipe(duplex=False)
    log = kept.fork.log
    kept.log_size = log.stat().st_size if log is not None and log.exists() else 0
    process = _FORKS.Process(target=_work, args=(kept.fork, tell, os.getpid()), name=kept.fork.name)
    # Block signals until the fork has its own handlers: the inherited ones would record a signal, but not end the fork.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ASKED_TO_END)
    try:
        process.start()
        kept.process = process
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED_TO_END)
    tell.close()
    return begun


def _work(fork: Fork, tell: Connection, parent: int) -> None:
    # In a separate session, Ctrl-C in the terminal reaches only the parent, which asks its forks to end.
    os.setsid()
    set_title(fork.title)
    signal.set_wakeup_fd(-1)
    for asked in _ASKED_TO_END:
        signal.signal(asked, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED_TO_END)
    end_with(parent)
    if fork.log is not None:
        with appended(fork.log) as log:
            os.dup2(log, 1)
            os.dup2(log, 2)

    def started() -> None:
        with tell, suppress(BrokenPipeError):  # only the first start is waited for
            tell.send_bytes(b"\0")

    fork.work(started)


def _are_at_work(
    kept: Sequence[_Supervised], begun: Sequence[Connection], asked: Sequence[int], bell: socket.socket
) -> bool:
    """Wait until all forks are ready, and return True.

    Return False if this process receives a signal to end before that.
    """
    for each, connection in zip(kept, begun, strict=True):
        with connection:
            while not asked and connection not in wait([connection, bell]):
                _hush(bell)
            try:
                if not asked:
                    connection.recv_bytes()
            except EOFError:
                raise ChildFailed(f"{each.fork.name} {_reaped(each)} at its start{_last_words(each)}") from None
    return not asked


def _keep(kept: Sequence[_Supervised], asked: Sequence[int], bell: socket.socket, say: Callable[[str], None]) -> None:
    """Restart forks that end, until this process receives a signal to end."""
    while not asked:
        running = [each.process.sentinel for each in kept if each.process is not None]
        dues = [each.due for each in kept if each.due is not None]
        wait([bell, *running], max(0.0, min(dues) - time.monotonic()) if dues else None)
        _hush(bell)
        for each in () if asked else kept:
            if each.process is not None and not each.process.is_alive():
                _schedule(each)
            if each.due is not None and each.due <= time.monotonic():
                each.restarts.add(each.due)
                each.due = None
                _start(each).close()
                with suppress(OSError):  # the terminal may be gone
                    say(f"{each.fork.name} {each.how_it_ended} and was started again")


def _schedule(kept: _Supervised) -> None:
    """Schedule the restart of a fork that ended.

    The delay grows with each recent restart.

    Raises
    ------
    ChildFailed
        The fork was restarted too often.
    """
    kept.how_it_ended = _reaped(kept)
    delay_s = kept.restarts.delay_s()
    if delay_s is None:
        raise ChildFailed(f"{kept.fork.name} {kept.how_it_ended}, {kept.restarts.words()}{_last_words(kept)}")
    kept.due = time.monotonic() + delay_s


def _reaped(kept: _Supervised) -> str:
    """Wait for the end of a fork's process, and return how it ended, in words."""
    process, kept.process = kept.process, None
    if process is None:
        return "was not started"
    process.join()
    status = process.exitcode or 0
    process.close()
    return how_it_ended(status)


def _last_words(kept: _Supervised) -> str:
    log = kept.fork.log
    return "" if log is None else f"; the end of {log}:\n{last_lines(log, kept.log_size)}"


def _stop(kept: Sequence[_Supervised]) -> None:
    """Stop all forks at the same time, and wait until they have ended.

    After each timeout in a fork's `stop_by`, the next signal is sent to it, and in the end SIGKILL.
    """
    asked_at = time.monotonic()
    running = [(each.fork.stop_by, each.process) for each in kept if each.process is not None]
    for stop_by, process in running:
        _send(process, stop_by[0][0])
    for stop_by, process in running:
        deadline = asked_at
        for (_, patience_s), harder in zip(stop_by, [*(number for number, _ in stop_by[1:]), SIGKILL], strict=True):
            deadline += patience_s
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                _send(process, harder)
        process.join()


def _send(process: ForkProcess, number: Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process.pid or 0, number)


@contextmanager
def _noted() -> Iterator[tuple[list[int], socket.socket]]:
    """Record SIGINT and SIGTERM during the block, and raise them again after the block.

    A handler that interrupts the block could run in the middle of a fork. Then this process would not know the id of
    the forked process, and could not stop it.

    Yields
    ------
    (list of int, socket.socket)
        The received signals, and a socket that becomes readable when a signal is received.
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
