"""Results of fio jobs in any format.

If a file reports a run in several formats, this module also selects the report to use.
"""

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from stowage.measure.files.compiled import Plan, add_metrics, make_metric, maker
from stowage.measure.files.figures import number_of
from stowage.measure.files.values import Number, Value
from stowage.measure.reading import Host, Metric, PrintedValue, Reading, Remark, Status

Format = Literal["json", "terse", "normal"]

DIRECTIONS = ("read", "write", "trim", "mixed")
US_PER = {"nsec": Decimal(1) / 1000, "usec": Decimal(1), "msec": Decimal(1000), "sec": Decimal(1_000_000)}
STATISTICS = {"min": "min", "max": "max", "mean": "mean", "avg": "mean", "stddev": "stddev", "stdev": "stddev"}
"""Our names of statistics, by those of fio's formats."""
_LONGEST_SETTING = 200
_reading, _NO_HOST = maker(Reading), Host()
_TIME = re.compile(r"([0-9]{1,9})(us|ms|s|m|h|d|)\Z")
_SIZE = re.compile(r"([0-9]{1,15})([kmgtpKMGTP]?)\Z")
_POWERS = ("", "k", "m", "g", "t", "p")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PERCENTILE = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,6})0*)?\Z")
MOST_SETTINGS = 100
"""Maximum number of options stored per job; fio has about 200, of which a job file sets about a dozen."""
_MOST_HELD = 400
_NEAR = timedelta(seconds=2)
"""Longest time between the starts that two reports of one run state."""
# The shortest --status-interval is one second; the final report may follow the last interval at any time.
_SHORTEST_INTERVAL_MS = 900


@dataclass(slots=True)
class Run:
    """Results of one fio job, as one report states them."""

    format: Format
    name: str
    group: str
    """fio's number of the group of concurrent jobs."""
    line: int
    version: str | None = None
    pid: str = ""
    """"" if the format does not report it."""
    error: str = "0"
    """fio's error number, `0` for none."""
    runtimes_ms: dict[str, int] = field(default_factory=dict)
    """Measured time of each direction [ms]."""
    amounts: dict[str, int] = field(default_factory=dict)
    """Amount of data of each direction [KiB], or its number of I/Os in the normal format. It distinguishes earlier and
    later states of one run."""
    metrics: dict[str, Metric] = field(default_factory=dict)
    later: Callable[["Run"], None] | None = None
    """Stores the figures while they are needed: hundreds of runs may be held before that, and behind."""
    settings: dict[str, str] = field(default_factory=dict)
    ended_at: datetime | None = None
    started_at: datetime | None = None
    host: Host = _NO_HOST
    notes: list[str] = field(default_factory=list)
    problem: str | None = None
    """Reason why the run is incomplete, or not a measurement."""
    cut: bool = False
    """Whether the report of this job, or of a concurrent job, is truncated."""
    remarks: list[Remark] = field(default_factory=list)

    def add(self, name: str, text: str, unit: str, told_name: str, factor: Decimal, *, shown: str = "") -> None:
        """Store a figure of the job as a metric.

        If the text is not a number, a remark is stored instead.

        Parameters
        ----------
        name : str
            Name of our metric.
        text : str
            The digits.
        unit, told_name : str
            fio's unit and field name.
        factor : Decimal
            Factor from fio's unit to our unit.
        shown : str
            Text in the file, if it is more than the digits: ``53.6k``.
        """
        if made := make_metric(name, text, shown or text, unit, told_name, factor):
            self.metrics[name] = made
            return
        number = number_of(text)
        # fio never prints a comma, nor a nonzero figure so small that it is 0 as a float.
        small = number == 0 and bool(text.strip("-0."))
        value = math.inf if number is None or small or "," in text else float(Decimal(text) * factor)
        if not math.isfinite(value):
            self.remarks.append(Remark(self.line, f"{self.name}: {told_name} is {text[:40]!r}, which is no number"))
            return
        self.metrics[name] = Metric(name, value, PrintedValue((shown or text)[:60], unit, told_name))

    def add_all(self, plan: Plan, members: Mapping[str, Value] | Sequence[str]) -> None:
        """Store a figure for each item of a plan, as `add` does.

        JSON members that are not numbers are skipped.
        """
        at = 0
        while (at := add_metrics(self.metrics, plan, members, at)) < len(plan):
            key, name, unit, told_name, factor = plan[at]
            member: Value = members[key]
            self.add(name, member.text if isinstance(member, Number) else str(member), unit, told_name, factor)
            at += 1

    def store_figures(self) -> None:
        """Store the figures that were left for later."""
        if self.later is not None and not self.metrics:
            self.later(self)

    def drop_figures(self) -> None:
        """Drop the figures that can be stored again."""
        if self.later is not None:
            self.metrics = {}

    def set(self, key: str, value: str) -> None:
        """Store a fio option, unless it is already stored.

        The value of a flag is "".
        """
        if len(self.settings) < MOST_SETTINGS:
            self.settings.setdefault(key[:_LONGEST_SETTING], value[:_LONGEST_SETTING])

    def reckon_start(self) -> None:
        """Compute the start of the job as the time of the report minus the runtime.

        If jobs ran one after the other, this is exact only for the last job.
        """
        duration_s = self.duration_s
        if self.ended_at is None or duration_s is None:
            return
        try:
            self.started_at = self.ended_at - timedelta(0, duration_s)
        except OverflowError:  # before the year 1
            self.started_at = None

    @property
    def duration_s(self) -> float | None:
        """Return the measured time [s], without the warm-up."""
        return max(self.runtimes_ms.values()) / 1000 if self.runtimes_ms else None

    def reading(self, *, jobs_in_group: int) -> Reading:
        """Return the result of the job."""
        duration_s = self.duration_s
        if self._ended_warming_up(duration_s):
            self.metrics, self.later = {}, None
            self.problem = self.problem or "It ended while it warmed up (ramp_time): nothing was measured"
        status, failure = self._judged(duration_s)
        notes = list(self.notes)
        if jobs_in_group > 1:
            notes.append(
                f"One of {jobs_in_group} jobs of group {self.group}, which fio reports one by one: "
                "what they reached together is the sum if they ran at the same time"
            )
        return _reading(
            "fio",
            self.version,
            status,
            failure,
            self.name[:_LONGEST_SETTING] or "fio",
            self.line,
            tuple(self.metrics.values()),
            self.settings,
            self.started_at,
            duration_s,
            self.host,
            (),
            tuple(notes),
        )

    def _ended_warming_up(self, duration_s: float | None) -> bool:
        """Return whether the job ended during its warm-up.

        In this case the rates are useless, since fio divides the I/Os of the warm-up by 1 ms.
        """
        settings = self.settings
        ramp = self.format == "json" and settings.get("ramp_time", "0").strip("0smh")
        timed = not ramp or not {"gtod_reduce", "disable_lat", "disable_clat"} & settings.keys()
        if (duration_s or 1.0) > 0.001 and not (ramp and timed):
            return False
        return bool(self.metrics) and not any("latency" in name for name in self.metrics)

    def _missed_s(self, duration_s: float) -> float | None:
        """Return the runtime that the user requested [s], if the job ended earlier.

        It is None if it is unknown, or if the job may end earlier by design. fio 3 does not report the option
        ``time_based``. But the option must have been set if the job moved more data than the size of its files.
        """
        found = _TIME.match(self.settings.get("runtime", ""))
        asked_s = int(found[1]) * _SECONDS[found[2]] if found else 0.0
        if duration_s >= 0.95 * asked_s:
            return None
        if self.settings.get("time_based", "0") != "0":
            return asked_s
        moved_mb = sum(self.metrics[f"{way}_mb"].value for way in DIRECTIONS[:3] if f"{way}_mb" in self.metrics)
        size = _SIZE.match(self.settings.get("size", ""))
        times = [self.settings.get(key, "1") for key in ("numjobs", "loops")]
        if not size or not all(each.isdecimal() and len(each) < 9 for each in times):
            return None
        all_mb = int(size[1]) * 1024.0 ** _POWERS.index(size[2].lower()) / 1e6 * int(times[0]) * int(times[1])
        return asked_s if moved_mb > 1.01 * all_mb else None

    def _judged(self, duration_s: float | None) -> tuple[Status, str | None]:
        if self.error.strip("0"):
            return "failed", f"fio says error {self.error[:10]}{_words_of(self.error)}"
        if self.problem:
            return ("partial" if self.metrics else "failed"), self.problem
        if duration_s is None or not self.metrics:
            return "failed", "No I/O was done"
        if asked_s := self._missed_s(duration_s):
            return "partial", f"It ran for {duration_s:g} s of the {asked_s:g} s that were asked for"
        return "ok", None


@lru_cache(maxsize=1_000)
def statistics_plan(name: str, told_name: str, unit: str, factor: Decimal, keys: tuple[str, ...]) -> Plan:
    """Return the plan for the minimum, maximum, mean and standard deviation of a figure.

    The keys may be those of any fio format; keys of other values are skipped.
    """
    return tuple(
        (key, f"{name}.{STATISTICS[key]}", unit, f"{told_name}.{key}", factor) for key in keys if key in STATISTICS
    )


def percentile_name(text: str) -> str | None:
    """Convert a percentile as printed by fio to the name of a statistic.

    The result is None for other text.

    Examples
    --------
    >>> percentile_name("99.900000"), percentile_name("50.0"), percentile_name("0.000000"), percentile_name("x")
    ('p99.9', 'p50', 'p0', None)
    """
    return (_percentile_name if len(text) <= 20 else _percentile_name.__wrapped__)(text)


@lru_cache(maxsize=1_000)
def _percentile_name(text: str) -> str | None:
    if not (found := _PERCENTILE.match(text)) or float(text) > 100:
        return None
    fraction = (found[2] or "").rstrip("0")
    return f"p{int(found[1])}" + (f".{fraction}" if fraction else "")


class Runs:
    """Finds the final report of each fio run in a file.

    A file may have several reports of the same run. fio writes a report in up to three formats. With
    ``--status-interval`` it also writes intermediate reports, which look like the final one. All reports that were
    written at one moment form a dump. A dump is held until the next one is read. If the next dump is of the same run,
    the held one was intermediate and is dropped.
    """

    def __init__(self) -> None:
        self._held: list[Run] = []
        self._structured: list[Run] = []
        self._chained = False
        self.count = 0

    def dump(self, runs: list[Run]) -> Iterator[Reading | Remark]:
        """Add the dump of one moment, and yield the results that are now final."""
        if not runs:
            return
        self.count += len(runs)
        if self._structured and runs[0].format == "normal" and _repeat(runs, self._structured):
            return
        held = self._held[0].format if self._held else "json"
        if held != "json" and runs[0].format == "json" and _same_moment(runs, self._held):
            self._hold(runs)
            return
        if any(run.cut for run in runs):
            self._doubt(runs)
        if self._held and _goes_on(self._held, runs, chained=self._chained):
            yield Remark(
                self._held[0].line,
                f"{self._held[0].name}: an intermediate report of the run that continues at line {runs[0].line}",
            )
            self._chained = True
        else:
            yield from self.end()
        self._hold(runs)
        if len(runs) > _MOST_HELD:
            yield from self.end()

    def end(self) -> Iterator[Reading | Remark]:
        """Yield the results of the pending dump."""
        in_group: dict[str, int] = {}
        for run in self._held:
            if run.name != ALL_CLIENTS:
                in_group[run.group] = in_group.get(run.group, 0) + 1
        for run in self._held:
            run.store_figures()
            yield from run.remarks
            yield run.reading(jobs_in_group=in_group.get(run.group, 0) if run.name != ALL_CLIENTS else 0)
            run.drop_figures()
        self._held, self._chained = [], False

    def doubt(self) -> None:
        """Mark the jobs of the pending dump as truncated."""
        for run in self._held:
            run.cut = True
            run.problem = run.problem or "The report of this run, or of a concurrent job, is truncated"

    def _doubt(self, runs: list[Run]) -> None:
        for run in runs:
            run.cut = True
            run.problem = run.problem or "The report of a concurrent job is truncated"
        known = [identity for identity in _identities(runs) if identity != NO_JOB]
        if known == _identities(self._held)[: len(known)]:
            self.doubt()

    def _hold(self, runs: list[Run]) -> None:
        self._held = runs
        if runs[0].format != "normal":
            self._structured = runs


NO_JOB = ("", "")
"""Name and group of a run without a known job."""
ALL_CLIENTS = "All clients"
"""fio's name for the sum over its clients."""


def _identities(runs: list[Run]) -> list[tuple[str, str]]:
    return [(run.name, run.group) for run in runs]


def _repeat(runs: list[Run], told: list[Run]) -> bool:
    """Return whether `runs` repeat the runs in `told`, which were reported before.

    The repeated report may be truncated.
    """
    whole = [run for run in runs if not run.cut]
    return (
        _identities(runs) == _identities(told)[: len(runs)]
        and all(run.cut for run in runs[len(whole) :])
        and _same_moment(whole, told[: len(whole)])
    )


def _same_moment(runs: list[Run], others: list[Run]) -> bool:
    """Return whether reports in two formats describe the same runs.

    They do if their jobs, runtimes and amounts of data agree.
    """
    if len(runs) != len(others) or _identities(runs) != _identities(others):
        return False
    for run, other in zip(runs, others, strict=True):
        # The normal format has no combined runtime of reads and writes.
        common = run.runtimes_ms.keys() & other.runtimes_ms.keys()
        if not common and (set(run.runtimes_ms) | set(other.runtimes_ms)) - {"trim"}:  # terse 3 has no trims
            return False
        for direction in common:
            if run.runtimes_ms[direction] != other.runtimes_ms[direction]:
                return False
            ours, theirs = (_iops(each, direction) for each in (run, other))
            # The normal format prints three or four digits.
            if ours is not None and theirs is not None and abs(ours - theirs) > 0.006 * max(ours, theirs) + 1:
                return False
    return True


def _iops(run: Run, direction: str) -> float | None:
    run.store_figures()
    metric = run.metrics.get(f"{direction}_iops")
    return metric.value if metric else None


def _goes_on(before: list[Run], after: list[Run], *, chained: bool) -> bool:
    """Return whether the second dump is a later state of the runs in the first dump."""
    if before[0].format != after[0].format or _identities(before) != _identities(after):
        return False
    if [run.amounts for run in before] == [run.amounts for run in after]:
        return False
    return all(_is_later(run, later, chained=chained) for run, later in zip(before, after, strict=True))


def _is_later(run: Run, later: Run, *, chained: bool) -> bool:
    """Return whether a report can be a later state of the job of another."""
    if run.pid != later.pid or any(later.amounts.get(way, 0) < amount for way, amount in run.amounts.items()):
        return False
    if run.settings != later.settings and _told(run) != _told(later):
        return False
    if run.pid and run.pid != "0":
        return True
    if run.started_at and later.started_at:
        return abs(later.started_at - run.started_at) <= _NEAR
    if not run.runtimes_ms or not later.runtimes_ms:
        return True
    shortest_ms = 0 if chained else _SHORTEST_INTERVAL_MS
    return max(later.runtimes_ms.values()) >= max(run.runtimes_ms.values()) + shortest_ms


def _told(run: Run) -> dict[str, str]:
    return {key: value for key, value in run.settings.items() if key != "disk_util"}


def _words_of(error: str) -> str:
    try:
        return f": {os.strerror(abs(int(error[:6])))}"
    except (ValueError, OverflowError):
        return ""
