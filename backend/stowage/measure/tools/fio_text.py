"""Reader of fio jobs in the normal (human-readable) format of fio 2.x and 3.x.

fio 3.x prints rates in binary and in decimal units; the decimal figure is used. fio 2.x prints KB, MB and GB, which are
powers of 1024 unless ``kb_base=1000`` was set, and the output does not show that option. In counts, K is 1000.
Bandwidth samples are in KiB/s even if ``kb_base=1000`` labels them ``kB/s``.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from stowage.measure.files.clocks import time_of_c
from stowage.measure.files.compiled import Plan, add_metrics
from stowage.measure.files.figures import number_of
from stowage.measure.files.printed import BYTES, KIB
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.reading import Host
from stowage.measure.tools.fio_run import (
    ALL_CLIENTS,
    DIRECTIONS,
    US_PER,
    Run,
    percentile_name,
    statistics_plan,
)

_ONE = Decimal(1)
_STATISTICS = ("min", "max", "avg", "stdev")
_LONGEST_PLANNED = 500
"""Maximum length of a line of percentiles whose plan is cached: a hostile file has long lines."""
_MOST_PLANNED = 80
"""Maximum number of texts in the rows of a block whose plan is cached."""
_PREFIX = re.compile(r"<(?P<host>[^<>]{1,100})> ?")
_HEADER = re.compile(r"(?P<name>.{1,200}?): \(g=(?P<group>\d{1,9})\): (?P<options>rw=.*)\Z")
_JOB = re.compile(
    r"(?P<name>.{1,200}?): \(groupid=(?P<group>\d{1,9}), jobs=(?P<jobs>\d{1,9})\): err=\s*+(?P<error>\d{1,9})"
    r"\s*+(?:\(.*\))?: pid=(?P<pid>\d{1,10})(?:: (?P<time>\w{3} \w{3}\s++\d{1,2} \d\d:\d\d:\d\d \d{4}))?\s*+\Z"
)
_NEW_RATE = re.compile(
    r"\s++(?P<direction>read|write|trim|mixed)\s*+: IOPS=(?P<iops>\S+), BW=(?P<first>\S+) \((?P<second>[^()\s]+)\)"
    r"\((?P<moved>[^()/]+)/(?P<runtime>\d{1,12})msec\)(?:; \d+ zone resets)?\s*+\Z"
)
_OLD_RATE = re.compile(
    r"\s++(?P<direction>read|write|trim|mixed)\s*+: io=(?P<moved>\S+), bw=(?P<first>\S+), iops=\s*+(?P<iops>\S+?)\s*+,"
    r" runt=\s*+(?P<runtime>\d{1,12})msec\s*+\Z"
)
_LATENCY = re.compile(
    r"\s++(?P<kind>slat|clat|lat|sync) \((?P<unit>[num]?sec)\)\s*+: min=\s*+(?P<min>[^,\s]+), "
    r"max=\s*+(?P<max>[^,\s]+), avg=\s*+(?P<avg>[^,\s]+), stdev=\s*+(?P<stdev>[^,\s]+)\s*+\Z"
)
_SAMPLES = re.compile(
    r"\s++(?P<kind>bw|iops)\s*+(?:\(\s*+(?P<unit>[KMGk]i?[Bb](?:it)?)\s*+/s\))?\s*+: min=\s*+(?P<min>[^,\s]+), "
    r"max=\s*+(?P<max>[^,\s]+), (?:per=\s*+\S+, )?avg=\s*+(?P<avg>[^,\s]+), stdev=\s*+(?P<stdev>[^,\s]+?)"
    r"(?:, samples=\s*+\d+)?\s*+\Z"
)
_PERCENTILES = re.compile(r"\s++(?P<kind>slat|clat|lat|sync) percentiles \((?P<unit>[num]?sec)\):\s*+\Z")
_PERCENTILE_LINE = re.compile(r"\s++\|\s*+(?:\d{1,3}\.\d+th=\[\s*+[\d.]+k?\]\s*+,?\s*+)+\Z")
_PERCENTILE = re.compile(r"(\d{1,3}\.\d+)th=\[\s*+([\d.]+k?)\]")
_ISSUED = re.compile(
    r"\s++issued\s*+(?:rwts?|r/w/d)?\s*+: total=\s*+(?P<total>\S+?),? short=\S+?(?:,? drop(?:ped)?=\S+)?\s*+\Z"
)
_DESCRIPTION = re.compile(r"\s++Description\s*+: \[(?P<text>.*)\]\s*+\Z")
_DIGITS = re.compile(r"\d+")
_BETWEEN_OPTIONS = re.compile(r", (?=(?:bs|ioengine|iodepth)=)")
_VERSION = re.compile(r"fio-\d[\w.\-]{0,40}\Z|fio \d\.\S{1,30}\Z")
_CLIENT = re.compile(r"hostname=(?P<host>[^,]{1,100}), be=.*\bfio=(?P<version>[^,]{1,40})")
_ERROR = re.compile(r"fio: ")
_KNOWN = re.compile(
    r"\.\.\.\Z|Did you mean |Starting \d+ (?:process|thread)|Jobs: "
    r"|Run status group \d+ "
    r"|\s++(?:READ|WRITE|TRIM|MIXED): |Disk stats|\s++lat \([num]?sec\)\s*+: (?:[>=]*\d+=|\Z)"
    r"|\s++cpu\s*+: |\s++IO depths\s*+: "
    r"|\s++(?:submit|complete|latency|CPU\s*+|errors)\s*+: |\s++fsync/fdatasync/sync_file_range:\s*+\Z"
    r"|\s++[\w./!-]{1,100}: ios=|\s*+[\w./!-]{1,100}, |note: |\s*+Warning: |\s*+\Z|cmdpriorities|\s++steadystate\s*+:"
    r"|nice to meet you|fio server|;[\w./!-]{1,100};\d|\s*+cluster|\s++block erase"
)
_FIGURE = r"([\d.]+[kMG]?)"
_MIN_MAX = rf"min= *{_FIGURE}, max= *{_FIGURE}"
_AVG_STDEV = rf"avg= *{_FIGURE}, stdev= *{_FIGURE}"
_OF_DIRECTION = (
    r" +(?P<direction>read|write|trim|mixed) *: IOPS=(?P<iops>[\d.]+[kM]?), BW=(?P<first>[\d.]+)[KMGT]?i?B/s "
    r"\((?P<rate>[\d.]+)(?P<rate_unit>[kMGT]?B)/s\)\((?P<moved>[\d.]+)(?P<moved_unit>[KMGT]?i?B)/"
    r"(?P<runtime>\d{1,12})msec\)(?:; \d+ zone resets)?\n"
    + "".join(
        rf"(?: +{kind} \((?P<{kind}>[num]?sec)\): {_MIN_MAX}, {_AVG_STDEV}\n)?" for kind in ("slat", "clat", "lat")
    )
    + r"(?: +(?P<kind>slat|clat|lat) percentiles \((?P<unit>[num]?sec)\):\n"
    r"(?: +\|(?: *(\d{1,3}\.\d+)th=\[ *([\d.]+k?)\],?)+\n)+)?"
    rf"(?: +bw \( *(?P<bw>[KMGk]i?B)/s\): {_MIN_MAX}, per= *[\d.]+%, {_AVG_STDEV}, samples= *\d+\n)?"
    rf"(?: +(?P<counts>iops) +: {_MIN_MAX}, {_AVG_STDEV}, samples= *\d+\n)?"
)
_OF_ALL = (
    r"(?: +lat \([num]?sec\) *: \d+=[^;(\n]*\n)* +cpu {10}: [^;(\n]*\n +IO depths {4}: [^;(\n]*\n"
    r"(?: +(?:submit|complete) +: [^;(\n]*\n)+ +issued rwts: total=(?P<total>[\d,]+) short=[\d,]+ dropped=[\d,]+\n"
    r"(?: +latency   : [^;(\n]*\n)?"
    r"(?:\n(?P<summary>Run status group \d+ )\(all jobs\):\n(?: +(?:READ|WRITE): bw=[^;\n]*\n)+"
    r"(?:\nDisk stats \(read/write\):\n(?: +\w+: ios=[^;(\n]*\n)+)?)?"
)
SHAPE = Shape(f"{_OF_DIRECTION}|{_OF_ALL}")
"""Lines of fio 3.x on one direction of a job; or those behind them, which have only the number of its I/Os."""
_PLACES = SHAPE.places
_DIRECTION = SHAPE.getter("direction", "iops", "first", "rate_unit", "moved_unit", "runtime", "kind", "unit")
_UNITS = SHAPE.getter("slat", "clat", "lat")
_SAMPLE_UNITS = SHAPE.getter("bw", "counts")
# The most frequent lines of a job without a figure to store.
_BESIDES = re.compile(
    r"\s++(?:lat \([num]?sec\)\s*+: [>=]*\d+=|cpu {10}:|IO depths {4}:|(?:submit|complete|latency) +: )"
)
_BEGIN_LATENCIES, _BEGIN_RATES, _BEGIN_SAMPLES = frozenset("scl"), frozenset("rwtm"), frozenset("bi")
_RATE = re.compile(r"(?P<digits>[\d.]+)(?P<unit>[KMGTPk]?i?(?:[Bb](?:it)?)?)(?:/s)?\Z")
_COUNT = re.compile(r"(?P<digits>[\d.]+)(?P<letter>[KkMmG]?)\Z")
_THOUSANDS = {"": _ONE, "K": Decimal(1000), "M": Decimal(1000) ** 2, "G": Decimal(1000) ** 3}
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_NAMES = {
    "slat": "{}_submission_latency_us",
    "clat": "{}_completion_latency_us",
    "lat": "{}_latency_us",
    "sync": "fsync_latency_us",
}


def is_of_fio(line: str) -> bool:
    """Return whether a line can only be output of fio."""
    text = _PREFIX.sub("", line, count=1) if line.startswith("<") else line
    if ": (g" in text and (_HEADER.match(text) or _JOB.match(text)):
        return True
    return bool(_NEW_RATE.match(text) or _OLD_RATE.match(text) or _ERROR.match(text))


class Listing:
    """Parser of fio's normal format, line by line."""

    def __init__(self) -> None:
        self.version: str | None = None
        self.runs: list[Run] = []
        self.errors: list[tuple[int, str]] = []
        self._headers: dict[tuple[str, str], dict[str, str]] = {}
        self._run: Run | None = None
        self._whole = False
        self._direction = ""
        self._old = False
        self._summed = False
        self._percentiles: tuple[str, str] | None = None
        self._host: str | None = None

    def take(self, line: int, text: str) -> bool:
        """Process one line; return whether it is output of fio."""
        if text.startswith("<") and (prefix := _PREFIX.match(text)):
            self._host = prefix["host"]
            text = text[prefix.end() :]
        # Indented lines belong to a job.
        indented = text.startswith(" ")
        if self.take_in_job(text) if indented and self._run else self._take_around(line, text):
            return True
        self._summed = self._summed or text.startswith("Run status group ")
        return bool(_KNOWN.match(text)) or ": Laying out IO file" in text

    def begins_dump(self, text: str) -> bool:
        """Return whether a line begins the next dump.

        A dump is all reports that fio writes at one moment.
        """
        if (self._run is None and not self.runs) or ": (g" not in text:
            return False
        text = _PREFIX.sub("", text, count=1) if text.startswith("<") else text
        # A client prints the reports of its servers one after the other, and the sum at the end.
        return bool(_header_in(text) or (self._summed and self._host is None and _job_in(text)))

    def set_options(self, run: Run) -> None:
        """Add the options that were printed when the run's job began."""
        if options := self._headers.get((run.name, run.group)):
            for key, value in options.items():
                run.set(key, value)

    def finished(self) -> list[Run]:
        """Return the jobs that have ended since the last call."""
        self._close()
        runs, self.runs, self._summed = self.runs, [], False
        return runs

    def _take_around(self, line: int, text: str) -> bool:
        if header := _header_in(text):
            if len(self._headers) < 1000:
                parts = [part.partition("=") for part in _BETWEEN_OPTIONS.split(header["options"])]
                options = {key: value[:200] for key, _, value in parts}
                self._headers[header["name"], header["group"]] = options
        elif job := _job_in(text):
            self._close()
            self._run = _begun(job, line, self.version, self._host)
            self.set_options(self._run)
        elif text.startswith("fio") and _VERSION.match(text):
            self.version = text.replace(" ", "-")
        elif text.startswith("hostname=") and (client := _CLIENT.match(text)):
            self.version, self._host = client["version"], client["host"]
        elif _ERROR.match(text):
            if len(self.errors) < 100:
                self.errors.append((line, text[:300]))
        else:
            return False
        return True

    def take_in_job(self, text: str) -> bool:
        """Process an indented line; return whether it belongs to the current job."""
        run = self._run
        if run is None:
            return False
        # No two of these patterns match lines that begin alike.
        begins = text.lstrip()[:1]
        if begins == "|":
            return self._percentiles is not None and self._take_percentiles(run, text, *self._percentiles)
        if begins in _BEGIN_LATENCIES:
            return self._take_latencies(run, text)
        if begins in _BEGIN_RATES and (found := _NEW_RATE.match(text) or _OLD_RATE.match(text)):
            self._direction, self._old = found["direction"], "second" not in found.groupdict()
            _take_rate(run, found)
        elif begins in _BEGIN_SAMPLES and (found := _SAMPLES.match(text)):
            if f"{self._direction}_iops" in run.metrics:
                _add_counted(run, _samples_plan(self._direction, found["kind"], found["unit"], old=self._old), found)
        elif found := _ISSUED.match(text):
            self._whole = True
            run.amounts = _amounts(found["total"])
        elif found := _DESCRIPTION.match(text):
            run.set("description", found["text"])
        else:
            return _BESIDES.match(text) is not None
        return True

    def take_block(self, block: Block) -> bool:
        """Process a block of lines; return whether there is a job that they belong to."""
        run, fields = self._run, block.fields
        if run is None:
            return False
        if total := fields[_PLACES["total"]]:
            self._whole = True
            run.amounts = _amounts(total)
            self._summed = self._summed or fields[_PLACES["summary"]] is not None
            return True
        direction, iops, first, rate_unit, moved_unit, runtime, kind, unit = _DIRECTION(fields)
        self._direction, self._old = direction, False
        if _take_runtime(run, direction, runtime, iops, is_zero=not first.strip("0.")):
            _add_counted(run, _rates_plan(direction, rate_unit, moved_unit), fields, is_shown=True)
        _add_counted(run, _latencies_plan(direction, *_UNITS(fields)), fields)
        if kind:
            self._percentiles = kind, unit
            planned = _percentiles_plan if len(block.rows) <= _MOST_PLANNED else _percentiles_plan.__wrapped__
            _add_counted(run, planned(direction, kind, unit, block.rows[::2]), block.rows[1::2], is_shown=True)
        if f"{direction}_iops" in run.metrics:
            _add_counted(run, _both_samples_plan(direction, *_SAMPLE_UNITS(fields)), fields)
        return True

    def _take_latencies(self, run: Run, text: str) -> bool:
        if found := _LATENCY.match(text):
            if self._direction or found["kind"] == "sync":
                _add_counted(run, _latency_plan(self._direction, found["kind"], found["unit"]), found)
        elif found := _PERCENTILES.match(text):
            self._percentiles = found["kind"], found["unit"]
        else:
            return _BESIDES.match(text) is not None
        return True

    def _take_percentiles(self, run: Run, text: str, kind: str, unit: str) -> bool:
        if "th=[" not in text or not _PERCENTILE_LINE.match(text):
            return False
        if self._direction or kind == "sync":
            shares, told = zip(*_PERCENTILE.findall(text), strict=True)
            planned = _percentiles_plan if len(text) <= _LONGEST_PLANNED else _percentiles_plan.__wrapped__
            _add_counted(run, planned(self._direction, kind, unit, shares), told, is_shown=True)
        return True

    def _close(self) -> None:
        run = self._run
        if run is not None:
            if not self._whole and not run.error.strip("0"):
                run.problem = "Its report ends before the number of issued I/Os"
                run.cut = True
            run.reckon_start()
            self.runs.append(run)
        self._run, self._whole, self._direction, self._percentiles = None, False, "", None


def _header_in(text: str) -> re.Match[str] | None:
    return _HEADER.match(text) if ": (g=" in text else None


def _job_in(text: str) -> re.Match[str] | None:
    return _JOB.match(text) if ": (groupid=" in text else None


def _begun(job: re.Match[str], line: int, version: str | None, host: str | None) -> Run:
    run = Run("normal", job["name"], job["group"], line, version, job["pid"], job["error"])
    if int(job["jobs"]) > 1:
        run.set("numjobs" if job["name"] != ALL_CLIENTS else "jobs", job["jobs"])
    if host is not None and job["name"] != ALL_CLIENTS:
        run.host = Host(name=host)
    if job["time"]:
        try:
            run.ended_at = time_of_c(job["time"])
        except ValueError:
            run.notes.append(f"{job['time']} is no time")
        else:
            run.notes.append("The time has no zone: taken as UTC")
    return run


def _amounts(total: str) -> dict[str, int]:
    """Return the number of issued I/Os of each direction."""
    return {way: int(count[:18]) for way, count in zip(DIRECTIONS[:3], _DIGITS.findall(total), strict=False)}


def _take_runtime(run: Run, direction: str, runtime: str, iops: str, *, is_zero: bool) -> bool:
    """Store a runtime; return whether there are rates to store, too."""
    # fio 3.33 prints zero rates for mixed reads and writes, although it prints their latencies.
    if is_zero and not iops.strip("0."):
        return False
    if int(runtime):
        run.runtimes_ms[direction] = int(runtime)
    return True


def _take_rate(run: Run, found: re.Match[str]) -> None:
    direction = found["direction"]
    iops, thousands = _counted(found["iops"])
    binary, decimal_ = found["first"], found.groupdict().get("second")
    if not _take_runtime(run, direction, found["runtime"], iops, is_zero=_is_zero(binary)):
        return
    run.add(f"{direction}_iops", iops, "1/s", "IOPS" if decimal_ else "iops", thousands, shown=found["iops"])
    for name, texts, told_name in (
        ("mb_per_s", [text for text in (decimal_, binary) if text], "BW" if decimal_ else "bw"),
        ("mb", [found["moved"]], "io"),
    ):
        # The decimal unit first: it is stored as printed, without converting a rounded figure.
        texts.sort(key=lambda text: "i" in text.replace("it", ""))
        rate = _RATE.match(texts[0])
        if not rate:
            run.problem = f"{told_name}={texts[0][:40]} is no rate or size"
            continue
        run.add(
            f"{direction}_{name}",
            rate["digits"],
            rate["unit"] + ("/s" if name == "mb_per_s" else ""),
            told_name,
            _product(_bytes_per(rate["unit"], old=decimal_ is None), BYTES),
        )


def _is_zero(text: str) -> bool:
    found = _RATE.match(text)
    return bool(found and not found["digits"].strip("0."))


def _add_counted(run: Run, plan: Plan, members: Sequence[Any] | re.Match[str], *, is_shown: bool = False) -> None:
    """Store a figure for each item of a plan; counts may end with a letter, which is stored if `is_shown`."""
    at = 0
    while (at := add_metrics(run.metrics, plan, members, at)) < len(plan):
        key, name, unit, told_name, factor = plan[at]
        digits, thousands = _counted(members[key])
        shown = members[key] if is_shown else ""
        run.add(name, digits, unit, told_name, _product(factor, thousands), shown=shown)
        at += 1


@lru_cache(maxsize=100)
def _percentiles_plan(direction: str, kind: str, unit: str, shares: tuple[str, ...]) -> Plan:
    name = _NAMES[kind].format(direction)
    return tuple(
        (place, f"{name}.{statistic}", unit, f"{kind} {share}th", US_PER[unit])
        for place, share in enumerate(shares)
        if (statistic := percentile_name(share))
    )


@cache
def _rates_plan(direction: str, rate_unit: str, moved_unit: str) -> Plan:
    """Return the plan for the rates of a block."""
    return (
        (_PLACES["iops"], f"{direction}_iops", "1/s", "IOPS", _ONE),
        *(
            (_PLACES[group], f"{direction}_{name}", unit, told_name, _product(_bytes_per(amount, old=False), BYTES))
            for group, name, amount, unit, told_name in (
                ("rate", "mb_per_s", rate_unit, f"{rate_unit}/s", "BW"),
                ("moved", "mb", moved_unit, moved_unit, "io"),
            )
        ),
    )


def _behind(group: str, plan: Plan) -> Plan:
    """Return a plan for the four fields behind a group of a block."""
    return tuple((_PLACES[group] + place, *item[1:]) for place, item in enumerate(plan, start=1))


@cache
def _latencies_plan(direction: str, *units: str | None) -> Plan:
    """Return the plan for the latencies of a block by their units."""
    kinds = zip(("slat", "clat", "lat"), units, strict=True)
    return tuple(
        chain.from_iterable(_behind(kind, _latency_plan(direction, kind, unit)) for kind, unit in kinds if unit)
    )


@cache
def _both_samples_plan(direction: str, unit: str | None, counts: str | None) -> Plan:
    """Return the plan for the samples of a block, of those that it has."""
    rates = _behind("bw", _samples_plan(direction, "bw", unit, old=False)) if unit else ()
    return rates + (_behind("counts", _samples_plan(direction, "iops", None, old=False)) if counts else ())


@cache
def _latency_plan(direction: str, kind: str, unit: str) -> Plan:
    return statistics_plan(_NAMES[kind].format(direction), kind, unit, US_PER[unit], _STATISTICS)


@cache
def _samples_plan(direction: str, kind: str, unit: str | None, *, old: bool) -> Plan:
    if kind == "iops":
        return statistics_plan(f"{direction}_iops", "iops", "1/s", _ONE, _STATISTICS)
    unit = unit or "KB"
    # 3.x prints a unit without an i only under kb_base=1000; its first thousand is 1024 bytes nevertheless.
    base = 1024 if old or unit[1:2] == "i" else 1000
    factor = KIB * base ** (_POWER[unit[0].upper()] - 1)
    return statistics_plan(f"{direction}_mb_per_s", "bw", f"{unit}/s", factor, _STATISTICS)


@lru_cache(maxsize=1_000)
def _product(factor: Decimal, other: Decimal) -> Decimal:
    return factor * other


@cache
def _bytes_per(unit: str, *, old: bool) -> Decimal:
    """Return the number of bytes in a unit of fio.

    In fio 2.x (`old`), a KB is 1024 bytes.
    """
    letter = unit[:1].upper()
    power = _POWER.get(letter, 0)
    base = 1024 if old or unit[1:2] == "i" else 1000
    return Decimal(base) ** power / (8 if "bit" in unit else 1)


def _counted(text: str) -> tuple[str, Decimal]:
    """Split a count into its digits and the factor of its suffix letter.

    The factor is a power of 1000.
    """
    found = _COUNT.match(text)
    if not found or number_of(found["digits"]) is None:
        return text, _ONE
    return found["digits"], _THOUSANDS[found["letter"].upper()]
