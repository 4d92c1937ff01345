"""Reader of fio jobs in JSON.

fio 3.x reports bytes and nanoseconds, fio 2.x KiB and microseconds.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from stowage.measure.files.clocks import time_of_number
from stowage.measure.files.compiled import Plan
from stowage.measure.files.printed import BYTES, KIB
from stowage.measure.files.values import Number, Value, float_at, number_at, text_at, value_at, written
from stowage.measure.reading import Host, Remark
from stowage.measure.tools.fio_run import (
    ALL_CLIENTS,
    DIRECTIONS,
    MOST_SETTINGS,
    US_PER,
    Run,
    percentile_name,
    statistics_plan,
)

_LATENCIES = {"slat": "submission_latency_us", "clat": "completion_latency_us", "lat": "latency_us"}
if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_UNITS = (("_ns", "nsec"), ("_us", "usec"), ("_ms", "msec"), ("", "usec"))
_PER_S = {"timestamp_ms": 1000.0, "timestamp": 1.0}
_ONE = Decimal(1)
_LONGEST_KEYS = 2_000


class Document:
    """Reader of one JSON document of fio."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.version: str | None = None
        self.is_fio = False
        self.runs: list[Run] = []
        self._global: Value = None
        self._printed_at: datetime | None = None
        self._hosts: set[str] = set()
        self._disks: list[str] = []

    def take(self, line: int, path: tuple[str | int, ...], value: Value) -> Remark | None:
        """Process one JSON value of the document.

        ``path`` is its position in the document.
        """
        key = path[0]
        if len(path) == 2:
            if not isinstance(path[1], int):
                return None
            if key != "disk_util":
                return self._take_job(line, value)
            self._take_disk(value)
        elif key == "fio version" and isinstance(value, str):
            self.version, self.is_fio = value[:40], True
        elif key == "global options":
            self._global = value
        elif key in _PER_S and isinstance(value, Number):
            self._printed_at = time_of_number(value, per_s=_PER_S[key]) or self._printed_at
        return None

    def _take_disk(self, value: Value) -> None:
        if name := text_at(value, "name"):
            util = number_at(value, "util")
            self._disks.append(f"{name} {util.text}%" if util else name)

    def end(self, problem: str | None) -> list[Run]:
        """Return the runs of the document, after its end."""
        for run in self.runs:
            if problem:
                run.problem, run.cut = f"The document is not whole: {problem}", True
            if self._disks:
                run.set("disk_util", ", ".join(self._disks[:32]))
            if run.name == ALL_CLIENTS:
                run.host = Host(nodes=len(self._hosts) or None)
                run.notes.append(f"The sum of {len(self._hosts)} clients, as reported by fio")
        return self.runs

    def _take_job(self, line: int, value: Value) -> Remark | None:
        name = text_at(value, "jobname")
        if not isinstance(value, dict) or name is None:
            return Remark(line, "A job without a name: the jobs of fio have a jobname")
        group, error = number_at(value, "groupid"), number_at(value, "error")
        run = Run("json", name, group.text if group else "0", line, self.version, error=error.text if error else "0")
        self.runs.append(run)
        for options in (value.get("job options"), self._global):
            for key in islice(options, MOST_SETTINGS) if isinstance(options, dict) else ():
                if (text := written(options, key)) is not None:
                    run.set(key, text)
        for direction in DIRECTIONS:
            if isinstance(found := value.get(direction), dict):
                _take_direction(run, direction, found)
        _take_latency(run, "fsync_latency_us", "sync.lat", value_at(value, "sync"), "lat")
        self._take_host(run, value)
        seconds = float_at(value, "elapsed")
        run.ended_at = self._printed_at
        if self._printed_at and seconds is not None and 0 <= seconds < 1e9:
            run.started_at = self._printed_at - timedelta(0, seconds)
        else:
            run.reckon_start()
        if error and error.value is None:
            run.problem = f"error is {error.text[:40]!r}, which is no number"
        return None

    def _take_host(self, run: Run, job: Value) -> None:
        hostname, port = text_at(job, "hostname"), number_at(job, "port")
        if hostname:
            run.host = replace(run.host, name=hostname[:200])
            if len(self._hosts) < 10_000:
                self._hosts.add(f"{hostname}:{port.text if port else ''}")


def _take_direction(run: Run, direction: str, found: dict[str, Value]) -> None:
    if not (float_at(found, "total_ios") or float_at(found, "io_bytes")):
        if any((count := number_at(found, key)) and count.value is None for key in ("total_ios", "io_bytes")):
            run.problem = f"The amount of {direction} is not a number"
        return
    _take_totals(run, direction, found)
    for what in ("bw", "iops"):
        key = f"{what}_samples"
        if float_at(found, key if number_at(found, key) else f"{what}_max"):
            run.add_all(_samples_plan(direction, what), found)
    for kind, name in _LATENCIES.items():
        _take_latency(run, f"{direction}_{name}", kind, found, kind)
    for key in ("short_ios", "drop_ios"):
        if float_at(found, key):
            run.notes.append(f"{direction}: {key} is {str(written(found, key))[:20]}")


def _take_totals(run: Run, direction: str, found: dict[str, Value]) -> None:
    # io_bytes is in KiB up to 2.x; later versions, where it is in bytes, also write io_kbytes.
    in_bytes = "io_kbytes" in found or "bw_bytes" in found
    if runtime := number_at(found, "runtime"):
        milliseconds = runtime.value
        if milliseconds is not None and 0 < milliseconds < 1e12:
            run.runtimes_ms[direction] = int(milliseconds)
    if moved := number_at(found, "io_bytes"):
        run.amounts[direction] = int(moved.value or 0) // (1024 if in_bytes else 1)
    rate = "bw_bytes" if isinstance(found.get("bw_bytes"), Number) else "bw"
    run.add_all(_totals_plan(direction, rate, in_bytes=in_bytes), found)


@cache
def _totals_plan(direction: str, rate: str, *, in_bytes: bool) -> Plan:
    unit, factor = ("B", BYTES) if in_bytes else ("KiB", KIB)
    rate_unit, rate_factor = ("B/s", BYTES) if rate == "bw_bytes" else ("KiB/s", KIB)
    return (
        ("io_bytes", f"{direction}_mb", unit, "io_bytes", factor),
        (rate, f"{direction}_mb_per_s", rate_unit, rate, rate_factor),
        ("iops", f"{direction}_iops", "1/s", "iops", _ONE),
    )


@cache
def _samples_plan(direction: str, what: str) -> Plan:
    name, unit, factor = ("mb_per_s", "KiB/s", KIB) if what == "bw" else ("iops", "1/s", _ONE)
    keys = {statistic: f"{what}_{statistic}" for statistic in ("min", "max", "mean", "stddev")}
    if what == "bw":
        keys["stddev"] = "bw_dev"
    return tuple((key, f"{direction}_{name}.{statistic}", unit, key, factor) for statistic, key in keys.items())


def _take_latency(run: Run, name: str, told_name: str, found: Value, kind: str) -> None:
    for suffix, unit in _UNITS:
        latency = found.get(kind + suffix) if isinstance(found, dict) else None
        if not isinstance(latency, dict):
            continue
        told_name += suffix
        if float_at(latency, "N") == 0 if number_at(latency, "N") else not float_at(latency, "max"):
            return
        _add_figures(run, statistics_plan, (name, told_name, unit, US_PER[unit]), latency)
        percentiles = latency.get("percentile")
        if isinstance(percentiles, dict):
            _add_figures(run, _percentiles_plan, (name, told_name, unit), percentiles)
        return


def _add_figures(
    run: Run, plan: "_lru_cache_wrapper[Plan]", arguments: tuple[str | Decimal, ...], found: dict[str, Value]
) -> None:
    """Add figures of a JSON object, in its order, by a plan for its keys."""
    keys = tuple(found)
    # A hostile file has long keys: they are not cached.
    planned = plan if len("".join(keys)) <= _LONGEST_KEYS else plan.__wrapped__
    run.add_all(planned(*arguments, keys), found)


@lru_cache(maxsize=100)
def _percentiles_plan(name: str, told_name: str, unit: str, keys: tuple[str, ...]) -> Plan:
    return tuple(
        (key, f"{name}.{statistic}", unit, f"{told_name}.percentile.{key}"[:80], US_PER[unit])
        for key in keys
        if (statistic := percentile_name(key))
    )
