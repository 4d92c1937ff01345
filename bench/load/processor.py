"""CPU time by part of the service, of its users and of the hostile team: what bounds a load, what an attack uses."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from time import monotonic

import psutil

_PARTS = (
    ("stowage api", "API"),
    ("stowage long", "worker for long jobs"),
    ("stowage short", "worker for short jobs"),
    ("stowage alerts", "worker for alerts"),
    ("stowage periodi", "worker for periodic jobs"),
    ("postgres", "PostgreSQL"),
    ("redis", "Redis"),
    ("locust", "users"),
)
_HOSTILE = "bench.load.hostile"


class Meter:
    """Counts from its construction on.

    Parameters
    ----------
    pid : int
        Of `stowage up`; processes below it and below this process are counted.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began_at = monotonic()
        self._before = self._used_s()

    def shares(self) -> Mapping[str, float]:
        """Return CPU time since the start by part, as shares of one core."""
        took_s = monotonic() - self._began_at
        return {part: (used_s - self._before.get(part, 0.0)) / took_s for part, used_s in self._used_s().items()}

    def _used_s(self) -> dict[str, float]:
        """Return CPU seconds by part; a process that ended is counted where its parent is."""
        used_s = defaultdict[str, float](float)
        own = psutil.Process()
        counted = {own.pid: own}
        for above in (own, psutil.Process(self._pid)):
            counted |= {each.pid: each for each in (above, *above.children(recursive=True))}
        for each in counted.values():
            try:
                times = each.cpu_times()
                part = _part_of(each)
            except psutil.Error:
                continue
            used_s[part] += times.user + times.system + times.children_user + times.children_system
        return used_s


def printed(shares: Mapping[str, float]) -> Iterator[str]:
    """Yield one line: the parts that used a hundredth of a core or more."""
    most = sorted(shares.items(), key=lambda item: -item[1])
    parts = ", ".join(f"{part} {share:.0%}" for part, share in most if share >= 0.01)
    yield f"processor time, of one core: {parts}; {sum(shares.values()):.0%} of {os.cpu_count()}00% in all"


def _part_of(process: psutil.Process) -> str:
    name = process.name()
    for start, part in _PARTS:
        if name.startswith(start):
            return part
    if process.pid == os.getpid():
        return "bench and stand-ins"
    command = process.cmdline()
    return "hostile team" if _HOSTILE in command else "other"
