"""Child programs, each with a thread that starts it and restarts it when it ends."""

import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals
from threading import Event, Lock, Thread

from stowage.frozen import frozen
from stowage.processes.errors import ChildFailed
from stowage.processes.log import appended, last_lines

WINDOW_S = 60.0
BACK_OFF_S = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Delays before each restart within `WINDOW_S` [s]; after the last one the program is given up."""

_POLL_S = 0.02


@frozen
class User:
    """User id and group id under which a program runs."""

    uid: int
    gid: int


@frozen
class Program:
    """A program, and how it is started, observed and stopped."""

    name: str
    """Name of the program in messages."""
    command: tuple[str | Path, ...]
    folder: Path
    """Working directory."""
    log: Path
    """File to which the program's output is appended."""
    environment: Mapping[str, str]
    """The complete environment; nothing is inherited."""
    prepare: Callable[[], None] = lambda: None
    """Called before each start and restart, to end processes that an earlier run left behind and to repair its files.
    """
    is_ready: Callable[[int], bool] | None = None
    """Function that returns whether the program is ready. It is called with the process id until it returns True, so it
    must return quickly. If None, the program is ready as soon as it runs, and is restarted even if it ends at once."""
    start_within_s: float = 60.0
    """Timeout for becoming ready [s]."""
    stop_by: tuple[tuple[Signals, float], ...] = ((SIGTERM, 10.0),)
    """Signals that ask the program to end, each with the time to wait before the next signal [s]. SIGKILL follows the
    last one."""
    back_off_s: tuple[float, ...] = BACK_OFF_S
    """Delays before the first, second, ... restart within `WINDOW_S` [s]. After as many restarts, a program that ends
    is not restarted any more."""
    user: User | None = None
    """User to run the program as; None for the user of this process."""


class Restarts:
    """Count of the recent restarts of a process, which determines the delay before its next restart.

    Parameters
    ----------
    back_off_s : tuple of float
        Delays before the first, second, ... restart within `WINDOW_S` [s].
    """

    def __init__(self, back_off_s: tuple[float, ...]) -> None:
        self._back_off_s = back_off_s
        self._at: deque[float] = deque()

    def delay_s(self) -> float | None:
        """Return the delay before the next restart [s]; None if the process must not be restarted any more."""
        while self._at and self._at[0] < time.monotonic() - WINDOW_S:
            self._at.popleft()
        return None if len(self._at) == len(self._back_off_s) else self._back_off_s[len(self._at)]

    def add(self, at: float) -> None:
        """Count a restart at a time of the monotonic clock [s]."""
        self._at.append(at)

    def words(self) -> str:
        """Return the number of recent restarts as a phrase for error messages."""
        return f"after {len(self._at)} restarts within {WINDOW_S:.0f} s"


class Child:
    """A program that is restarted when it ends, unless `ask_to_end` was called.

    A dedicated thread forks the program, waits for its end and forks it again. The thread lives at least as long as the
    program, because Linux signals the children of a thread when the thread ends, not only when the process ends (see
    `parent`). The thread receives no signals. So Ctrl-C cannot interrupt it between a fork and the storage of the
    process id.

    Parameters
    ----------
    program : Program
    say : callable
        Called with a one-line message when the program was restarted.
    gave_up : callable
        Called with the error when the program ended too often to be restarted. Called from the child's thread.
    """

    def __init__(self, program: Program, say: Callable[[str], None], gave_up: Callable[[ChildFailed], None]) -> None:
        self._program = program
        self._say = say
        self._gave_up = gave_up
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = Event()
        self._settled = Event()
        if program.is_ready is None:
            # No caller waits for it: a failed first start is retried like any other, and reported in the end.
            self._settled.set()
        self._failure: Exception | None = None
        self._last_words = ""
        self._thread = Thread(target=self._keep, name=f"keeps {program.name}", daemon=True)

    @property
    def pid(self) -> int | None:
        """Return the process id of the program; None before its first start."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the program without waiting until it is ready (`await_ready` waits)."""
        self._thread.start()

    def await_ready(self) -> None:
        """Wait until the program is ready for the first time.

        Raises
        ------
        ChildFailed
            The program ended, or took too long.
        Exception
            An error that the program's `prepare` raised.
        """
        self._settled.wait()
        if self._failure is not None:
            raise self._failure

    def ask_to_end(self) -> None:
        """Ask the program to end, and do not restart it."""
        with self._lock:
            self._stopping.set()
        self._send(self._program.stop_by[0][0])

    def await_end(self) -> None:
        """Wait until the program has ended, after a call of `ask_to_end`.

        After each timeout in `stop_by`, the next signal is sent, and in the end SIGKILL.
        """
        patience_s = self._program.stop_by[0][1]
        for signal, longer_s in (*self._program.stop_by[1:], (SIGKILL, 0.0)):
            if self._has_ended(patience_s):
                return
            self._send(signal)
            patience_s = longer_s
        self._has_ended(None)

    def _send(self, signal: Signals) -> None:
        if self._process is not None:
            self._process.send_signal(signal)

    def _has_ended(self, patience_s: float | None) -> bool:
        if self._thread.ident is None:
            return True  # interrupted before the thread began; it forks nothing once `_stopping` is set
        self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _keep(self) -> None:
        restarts = Restarts(self._program.back_off_s)
        ended = ""
        while True:
            try:
                ended = self._run(ended)
            except Exception as error:  # noqa: BLE001 - passed on to the caller that waits for this child
                if not self._settled.is_set():
                    self._fail(error)
                    return
                ended = f"could not be started: {error}"
            if self._stopping.is_set():
                self._settled.set()
                return
            delay_s = restarts.delay_s()
            if delay_s is None:
                failure = ChildFailed(
                    f"{self._program.name} {ended}, {restarts.words()}; "
                    f"the end of {self._program.log}:\n{self._last_words}"
                )
                self._fail(failure)
                self._gave_up(failure)
                return
            if self._stopping.wait(delay_s):
                return
            restarts.add(time.monotonic())

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._settled.set()

    def _run(self, ended_before: str) -> str:
        """Run the program once until it ends, and return how it ended, in words."""
        program = self._program
        program.prepare()
        with appended(program.log) as log:
            said_before = program.log.stat().st_size
            with self._lock:
                if self._stopping.is_set():
                    return "was not started"
                self._process = process = _forked(program, log)
        try:
            return self._watched(process, said_before, ended_before)
        except BaseException:
            # On any error: the process would be orphaned otherwise.
            process.kill()
            process.wait()
            raise

    def _watched(self, process: subprocess.Popen[bytes], said_before: int, ended_before: str) -> str:
        """Wait until a started program ends, and return how it ended, in words.

        The program is killed if it does not become ready in time.
        """
        program = self._program
        is_up = self._is_up(process)
        too_slow = not is_up and process.poll() is None and not self._stopping.is_set()
        if too_slow:
            process.kill()
        if is_up:
            self._settled.set()
            if ended_before:
                with suppress(OSError):  # the terminal may be gone
                    self._say(f"{program.name} {ended_before} and was started again")
        status = process.wait()
        self._last_words = last_lines(program.log, said_before)
        how = f"did not answer within {program.start_within_s:.0f} s" if too_slow else how_it_ended(status)
        if not self._settled.is_set() and not self._stopping.is_set():
            raise ChildFailed(f"{program.name} {how} at its start; the end of {program.log}:\n{self._last_words}")
        return how

    def _is_up(self, process: subprocess.Popen[bytes]) -> bool:
        is_ready = self._program.is_ready
        if is_ready is None:
            return True
        deadline = time.monotonic() + self._program.start_within_s
        while process.poll() is None and time.monotonic() < deadline:
            if is_ready(process.pid):
                return True
            if self._stopping.wait(_POLL_S):
                return False
        return False


def stop_together(children: Sequence[Child]) -> None:
    """Stop children that do not depend on each other, all at the same time."""
    for child in children:
        child.ask_to_end()
    for child in children:
        child.await_end()


def _forked(program: Program, log: int) -> subprocess.Popen[bytes]:
    user = program.user
    return subprocess.Popen(  # noqa: S603 - programs of ours, and no shell
        program.command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd=program.folder,
        env=program.environment,
        # In a separate session, Ctrl-C in the terminal does not stop it before this process does.
        start_new_session=True,
        user=None if user is None else user.uid,
        group=None if user is None else user.gid,
        extra_groups=None if user is None else [],
    )


def how_it_ended(status: int) -> str:
    """Return how a process ended, in words.

    A negative exit status is the number of the signal that ended the process.
    """
    return f"was ended by {Signals(-status).name}" if status < 0 else f"ended with status {status}"
