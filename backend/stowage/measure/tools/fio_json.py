"""Reader of fio jobs in JSON.

fio 3.x reports bytes and nanoseconds, fio 2.x KiB and microseconds.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from itertools import islice

from stowage.measure.files.clocks import time_of_number
from stowage.measure.files.printed import BYTES, KIB
from stowage.measure.files.values import Number, Value, float_at, number_at, text_at, value_at
from stowage.measure.reading import Host, Remark
from stowage.measure.tools.fio_run import (
    ALL_CLIENTS,
    DIRECTIONS,
    MOST_SETTINGS,
    STATISTICS,
    US_PER,
    Figure,
    Plan,
    Run,
    percentile_name,
    statistics_plan,
)

_LATENCIES = {"slat": "submission_latency_us", "clat": "completion_latency_us", "lat": "latency_us"}
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
        match path:
            case ("fio version",) if isinstance(value, str):
                self.version, self.is_fio = value[:40], True
            case ("global options",):
                self._global = value
            case ("timestamp_ms" | "timestamp" as key,) if isinstance(value, Number):
                self._printed_at = time_of_number(value, per_s=1000 if key.endswith("_ms") else 1) or self._printed_at
            case ("jobs" | "client_stats", int()):
                return self._take_job(line, value)
            case ("disk_util", int()):
                if name := text_at(value, "name"):
                    util = number_at(value, "util")
                    self._disks.append(f"{name} {util.text}%" if util else name)
            case _:
                pass
        return None

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
            for key, told in islice(options.items(), MOST_SETTINGS) if isinstance(options, dict) else ():
                if isinstance(told, str | Number):
                    run.set(key, told if isinstance(told, str) else told.text)
        for direction in DIRECTIONS:
            if isinstance(found := value.get(direction), dict):
                _take_direction(run, direction, found)
        _take_latency(run, "fsync_latency_us", "sync.lat", value_at(value, "sync"), "lat")
        self._take_host(run, value)
        seconds = float_at(value, "elapsed")
        run.ended_at = self._printed_at
        if self._printed_at and seconds is not None and 0 <= seconds < 1e9:
            run.started_at = self._printed_at - timedelta(seconds=seconds)
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
    numbers = {key: told for key, told in found.items() if isinstance(told, Number)}
    counts = [numbers[key].value for key in ("total_ios", "io_bytes") if key in numbers]
    if not any(counts):
        if any(count is None for count in counts):
            run.problem = f"The amount of {direction} is not a number"
        return
    _take_totals(run, direction, numbers, in_bytes="io_kbytes" in found or "bw_bytes" in found)
    _take_samples(run, direction, numbers)
    for kind, name in _LATENCIES.items():
        _take_latency(run, f"{direction}_{name}", kind, found, kind)
    for key in ("short_ios", "drop_ios"):
        if (count := numbers.get(key)) and count.value:
            run.notes.append(f"{direction}: {key} is {count.text[:20]}")


def _take_totals(run: Run, direction: str, numbers: dict[str, Number], *, in_bytes: bool) -> None:
    # io_bytes is in KiB up to 2.x; later versions, where it is in bytes, also write io_kbytes.
    if runtime := numbers.get("runtime"):
        milliseconds = runtime.value
        if milliseconds is not None and 0 < milliseconds < 1e12:
            run.runtimes_ms[direction] = int(milliseconds)
    if moved := numbers.get("io_bytes"):
        run.add(f"{direction}_mb", moved.text, "B" if in_bytes else "KiB", "io_bytes", BYTES if in_bytes else KIB)
        run.amounts[direction] = int(moved.value or 0) // (1024 if in_bytes else 1)
    if rate := numbers.get("bw_bytes"):
        run.add(f"{direction}_mb_per_s", rate.text, "B/s", "bw_bytes", BYTES)
    elif rate := numbers.get("bw"):
        run.add(f"{direction}_mb_per_s", rate.text, "KiB/s", "bw", KIB)
    if rate := numbers.get("iops"):
        run.add(f"{direction}_iops", rate.text, "1/s", "iops", _ONE)


def _take_samples(run: Run, direction: str, numbers: dict[str, Number]) -> None:
    for what in ("bw", "iops"):
        samples = numbers.get(f"{what}_samples") or numbers.get(f"{what}_max")
        if samples and samples.value:
            plan = _samples_plan(direction, what)
            used = [(figure, numbers[key].text) for key, figure in plan if key in numbers]
            run.add_all(tuple(figure for figure, _ in used), [text for _, text in used])


@cache
def _samples_plan(direction: str, what: str) -> tuple[tuple[str, Figure], ...]:
    """Return the keys of the statistics of samples, and the figures to store."""
    name, unit, factor = ("mb_per_s", "KiB/s", KIB) if what == "bw" else ("iops", "1/s", _ONE)
    keys = {statistic: f"{what}_{statistic}" for statistic in ("min", "max", "mean", "stddev")}
    if what == "bw":
        keys["stddev"] = "bw_dev"
    return tuple((key, (f"{direction}_{name}.{statistic}", unit, key, factor)) for statistic, key in keys.items())


def _take_latency(run: Run, name: str, told_name: str, found: Value, kind: str) -> None:
    for suffix, unit in (("_ns", "nsec"), ("_us", "usec"), ("_ms", "msec"), ("", "usec")):
        latency = found.get(kind + suffix) if isinstance(found, dict) else None
        if not isinstance(latency, dict):
            continue
        told_name += suffix
        count, most = number_at(latency, "N"), number_at(latency, "max")
        if count.value == 0 if count else not (most and most.value):
            return
        values = {key: told.text for key, told in latency.items() if key in STATISTICS and isinstance(told, Number)}
        run.add_all(statistics_plan(name, told_name, unit, US_PER[unit], tuple(values)), list(values.values()))
        percentiles = latency.get("percentile")
        if isinstance(percentiles, dict):
            values = {key: told.text for key, told in percentiles.items() if isinstance(told, Number)}
            # A hostile file has long keys: they are not cached.
            planned = _percentiles_plan if len("".join(values)) <= _LONGEST_KEYS else _percentiles_plan.__wrapped__
            plan, keys = planned(name, told_name, unit, tuple(values))
            run.add_all(plan, [values[key] for key in keys])
        return


@lru_cache(maxsize=100)
def _percentiles_plan(name: str, told_name: str, unit: str, keys: tuple[str, ...]) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan for percentiles of a latency, and the keys that are percentiles."""
    named = [(key, statistic) for key in keys if (statistic := percentile_name(key))]
    plan = tuple(
        (f"{name}.{statistic}", unit, f"{told_name}.percentile.{key}"[:80], US_PER[unit]) for key, statistic in named
    )
    return plan, tuple(key for key, _ in named)
