"""Faults of a chaos run: which there are, in which order a seed has them, and how each is caused."""

import random
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import redis

from bench.load.service import Up  # first: it makes importable what lies in tests

from laboratory.between import Between  # isort: skip

KILLED: Mapping[str, str] = {
    "SIGKILL PostgreSQL": "postgres",
    "SIGKILL Redis": "redis-server",
    "SIGKILL API 1": "stowage api 1",
    "SIGKILL API 2": "stowage api 2",
    "SIGKILL worker for long jobs": "stowage long",
    "SIGKILL worker for short jobs": "stowage short",
    "SIGKILL worker for alerts": "stowage alerts",
    "SIGKILL worker for periodic jobs": "stowage periodic",
}
"""Fault -> name of the process."""

RESTARTED: Mapping[str, tuple[str, signal.Signals]] = {
    # A "fast" shutdown: what an operator's restart does.
    "restart PostgreSQL": ("postgres", signal.SIGINT),
    "restart Redis": ("redis-server", signal.SIGTERM),
}

POOL, SUPERVISOR, FLUSH = "SIGKILL all pool processes", "SIGKILL stowage up, started again", "FLUSHALL"
DISK, FORWARD, BACK, CUT = "disk full", "clock 20 min forward", "clock 20 min back", "S3 and EC2 cut"

FAULTS: Sequence[str] = (*KILLED, *RESTARTED, POOL, SUPERVISOR, FLUSH, DISK, FORWARD, BACK, CUT)

LASTS_S = 6.0
"""How long a disk is full, a clock is off, and AWS is away [s]."""
MOVED_S = 1200
"""How far a clock is moved [s]: sessions are renewed every hour."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One fault of a schedule."""

    fault: str
    pause_s: float
    """From the recovery of the fault before it [s]."""


def schedule(seed: int, count: int, available: Sequence[str] = FAULTS) -> list[Planned]:
    """Draw faults in random order, each once before one comes twice.

    >>> [each.fault for each in schedule(1, 3)] == [each.fault for each in schedule(1, 5)][:3]
    True
    """
    dice = random.Random(seed)  # noqa: S311 - faults, no secret
    found: list[Planned] = []
    while len(found) < count:
        around = list(available)
        dice.shuffle(around)
        found += [Planned(fault, dice.uniform(1.0, 5.0)) for fault in around]
    return found[:count]


def possible(*, volume: bool, clock: bool) -> tuple[list[str], list[str]]:
    """Return the faults that can be caused on this machine, and a line for each that cannot.

    Parameters
    ----------
    volume : bool
        Whether a small volume can be mounted.
    clock : bool
        Whether what moves it can be compiled.
    """
    left: dict[str, str] = {}
    if not volume:
        left[DISK] = "disk full: no tmpfs can be mounted here"
    if not clock:
        left |= dict.fromkeys((FORWARD, BACK), "clock moved: there is no C compiler")
    return [each for each in FAULTS if each not in left], sorted(set(left.values()))


class Faults:
    """Causes faults in a service.

    Parameters
    ----------
    up : Up
    volume : Path or None
        Where its state folder lies, if that is a small volume of its own.
    clock : Path or None
        What `clock.c` reads the offset from, if it was preloaded.
    between : Between or None
        What stands between the service and the simulated AWS.
    during_cut : callable
        Called while AWS is away.
    """

    def __init__(
        self, up: Up, volume: Path | None, clock: Path | None, between: Between | None, during_cut: Callable[[], None]
    ) -> None:
        self._up = up
        self._volume = volume
        self._clock = clock
        self._between = between
        self.during_cut = during_cut

    def cause(self, fault: str) -> None:
        """Cause a fault; those that last end before this returns."""
        causes: Mapping[str, Callable[[], None]] = {
            POOL: self._kill_pools,
            SUPERVISOR: self._kill_supervisor,
            FLUSH: self._flush,
            DISK: self._fill,
            FORWARD: lambda: self._move(MOVED_S),
            BACK: lambda: self._move(-MOVED_S),
            CUT: self._cut,
        }
        if fault in KILLED:
            self._signal(KILLED[fault], signal.SIGKILL)
        elif fault in RESTARTED:
            self._signal(*RESTARTED[fault])
        else:
            causes[fault]()

    def _signal(self, name: str, number: signal.Signals) -> None:
        process = self._await_child(name)
        process.send_signal(number)
        with suppress(psutil.TimeoutExpired):
            process.wait(30.0)
        # Until another one is there: what answers before is what was there before.
        self._await_child(name, other_than=process.pid)

    def _await_child(self, name: str, other_than: int = 0) -> psutil.Process:
        give_up_at = time.monotonic() + 60.0
        while time.monotonic() < give_up_at:
            found = self._up.child(name)
            if found is not None and found.pid != other_than:
                return found
            time.sleep(0.02)
        raise TimeoutError(f"there is no {name}")

    def _kill_pools(self) -> None:
        for name in ("stowage long", "stowage short", "stowage periodic", "stowage alerts"):
            for pooled in self._await_child(name).children():
                with suppress(psutil.Error):
                    pooled.kill()

    def _kill_supervisor(self) -> None:
        assert self._up.process is not None  # noqa: S101 - it was started
        self._up.process.kill()
        self._up.process.wait()
        # Its forks end by themselves when they notice, and hold the port until then.
        give_up_at = time.monotonic() + 60.0
        while True:
            self._up.start()
            with suppress(subprocess.TimeoutExpired):
                self._up.process.wait(3.0)
            if self._up.process.poll() is None or time.monotonic() > give_up_at:
                return

    def _flush(self) -> None:
        with redis.Redis.from_url(self._up.redis_url()) as connection:
            connection.flushall()

    def _fill(self) -> None:
        assert self._volume is not None  # noqa: S101 - it is available
        filling = self._volume / "filling"
        try:
            with suppress(OSError), filling.open("wb") as file:
                while True:
                    file.write(bytes(1 << 20))
                    file.flush()
            time.sleep(LASTS_S)
        finally:
            filling.unlink(missing_ok=True)

    def _move(self, seconds: int) -> None:
        try:
            self._set_clock(seconds)
            time.sleep(LASTS_S)
        finally:
            self._set_clock(0)

    def _set_clock(self, offset_s: int) -> None:
        assert self._clock is not None  # noqa: S101 - it is available
        # In place: the processes have mapped the file.
        with self._clock.open("r+b") as file:
            file.write(struct.pack("=q", offset_s))

    def _cut(self) -> None:
        assert self._between is not None  # noqa: S101 - it is available
        for service in ("s3", "ec2", "sts"):
            self._between.fail(f"{service}:*", "cut", times=None)
        try:
            self.during_cut()
            time.sleep(LASTS_S)
        finally:
            self._between.heal()
