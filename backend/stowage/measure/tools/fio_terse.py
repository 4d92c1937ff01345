"""Reader of fio jobs in the terse format, versions 2 to 5: one line of semicolon-separated fields.

A line has a header (format version, fio's version, name, group, error; format version 2 lacks fio's version), one
section per direction, CPU times, queue depths, latency distribution, disks and the job's description. A section has 41
fields, 47 in version 5. Versions 2 and 3 have sections for reads and writes, 4 and 5 also for trims; fio 3 writes a
trim section in version 2 too. ``unified_rw_reporting`` results in a single section, or in an additional one. The number
of sections is found by looking for the first field of the CPU times, a percentage. Bandwidths are in KiB/s for any
``kb_base``, times in us.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import TypeAlias

from stowage.measure.files.compiled import Plan
from stowage.measure.files.printed import KIB
from stowage.measure.files.shapes import Shape, match
from stowage.measure.tools.fio_run import STATISTICS, Run, percentile_name

_ONE = Decimal(1)
_SHARES = slice(12, 32)
"""Percentiles and their shares in a section."""
_LONGEST_SHARES = 1_000
_SECTION = {"2": 41, "3": 41, "4": 41, "5": 47}
_BEHIND = 5 + 7 + 10 + 12
_DIRECTIONS: dict[int, tuple[str, ...]] = {
    1: ("mixed",),
    2: ("read", "write"),
    3: ("read", "write", "trim"),
    4: ("read", "write", "trim", "mixed"),
}
_WITHOUT_TRIMS: dict[int, tuple[str, ...]] = {1: ("mixed",), 2: ("read", "write"), 3: ("read", "write", "mixed")}
_LATENCIES = {4: ("slat", "submission_latency_us"), 8: ("clat", "completion_latency_us"), 32: ("lat", "latency_us")}
"""Kinds of latencies, by the first of their fields in a section."""
_SAMPLES: dict[int, tuple[str, str, str, Decimal, Sequence[int]]] = {
    37: ("mb_per_s", "bw", "KiB/s", KIB, (36, 37, 39, 40)),
    43: ("iops", "iops", "1/s", _ONE, range(42, 46)),
}
"""Samples, by the field of their maximum. Behind those of the bandwidth stands its share of all jobs."""
_KINDS = (4, 8, _SHARES.start, 32, 37, 43)
"""Kinds of figures of a section, each by one of its fields, in the order of the line."""
_Taken: TypeAlias = tuple[tuple[str, int, tuple[str, ...]], ...]
"""Sections of a line in the usual form: the direction and the place of each, and "0" for each kind that has only zeros.
"""
_LINE = re.compile(r"\s*+(?:<[^<>]{1,100}> )?(?P<fields>(?:[345];fio-[^;]{1,40};|2;[^;]*;\d+;\d+;\d+;\d+;).*)\Z")
_SHARE = re.compile(r"-?[0-9.]+%\Z")
_NOTE = (
    "The terse format has percentiles of the completion latency and, under lat_percentiles, "
    "of the whole latency in the same place: they are taken for the former"
)
_COUNT = re.compile(r"[0-9]{1,18}\Z")
_USUAL_SHARES = (
    *(f"{share:.6f}" for share in (1, 5, *range(10, 100, 10), 95, 99, 99.5, 99.9, 99.95, 99.99)),
    *("0", "0", "0"),
)
"""Percentiles that fio prints unless it is told others (``percentile_list``)."""
_ALL_OR_ZERO = r"(?:0;(0);0\.000000;0\.000000;|[\d.]+;()[1-9]\d*;[\d.]+;[\d.]+;)"
_MAXIMUM = r"\d+;(?:(0)|()[1-9]\d*);"
*_LOWER, _HIGHEST = (share.replace(".", r"\.") + "%=" for share in _USUAL_SHARES[:17])
_ANY, _NONE = r"\d+;".join((*_LOWER, _HIGHEST)), "0;".join((*_LOWER, _HIGHEST))
_PERCENTILES = rf"(?:{_ANY}()[1-9]\d*;|{_NONE}(0);)0%=0;0%=0;0%=0;"
_DIRECTION = (
    rf"(\d{{1,18}});\d+;(\d+);(\d{{1,18}});{_ALL_OR_ZERO}{_ALL_OR_ZERO}{_PERCENTILES}{_ALL_OR_ZERO}"
    rf"{_MAXIMUM}[\d.]+%;[\d.]+;[\d.]+;"
)
_HEAD, _REST = r"[345];(fio-[^;%\n]*);([^;%\n]*);(\d+);(\d+);", rf"[\d.]+%(?:;[^;\n]*){{{_BEHIND - 1}}}"
_USUAL = {
    **dict.fromkeys("34", Shape(f"{_HEAD}(?:{_DIRECTION})+{_REST}")),
    "5": Shape(rf"{_HEAD}(?:{_DIRECTION}\d+;{_MAXIMUM}[\d.]+;[\d.]+;\d+;)+{_REST}"),
}
"""Usual form of a line up to the disks, by format version. Its rows are the amount, rate and runtime of each section,
and of each kind of figures, "0" if all of them are 0."""


def fields_in(text: str) -> str | None:
    """Return the fields of a line in the terse format.

    The prefix of a client and a progress display are removed. The result is None for other lines.
    """
    found = _LINE.match(text)
    return found["fields"] if found else None


def run_of(text: str, line: int) -> Run:
    """Parse the fields of a line as a run.

    Examples
    --------
    >>> run_of("3;fio-3.33;mix;0;0", 1).problem
    'The line ends after 5 fields'
    """
    return _usual_run(text, line) or _run_of(text, line)


def _usual_run(text: str, line: int) -> Run | None:
    """Return the run of a line in the usual form; None if it has another form."""
    shape = _USUAL.get(text[:1])
    if shape is None or (found := match(shape.compiled, text, 0, line)) is None:
        return None
    rows, width = found[0].rows, 9 if text[0] == "5" else 8
    directions = _directions(text[0], len(rows) // width)
    if directions is None:
        return None
    version, name, group, error = found[0].fields
    run = Run("terse", name, group, line, version, error=error)
    taken = tuple(
        [
            (direction, place, rows[place * width + 3 : (place + 1) * width])
            for place, direction in enumerate(directions)
            if _take_amounts(run, direction, *rows[place * width : place * width + 3])
        ]
    )
    length = _SECTION[text[0]] + len(_USUAL_SHARES)
    # The plan is shared: hundreds of runs may be held, and the fewer objects each of them has, the better.
    later = partial(_store_usual, text, _usual_plan(length, taken), 5 + len(directions) * length) if taken else None
    return _with_figures(run, len(directions), later)


def _run_of(text: str, line: int) -> Run:
    """Return the run of a line in any form."""
    fields = text.split(";")
    form = fields[0]
    version = None if form == "2" else fields[1]
    head = fields[1:4] if form == "2" else fields[2:5]
    name, group, error = (*head, "", "", "")[:3]
    run = Run("terse", name, group or "0", line, version, error=error or "0")
    start, length = (4 if form == "2" else 5), _SECTION[form]
    sections = 0
    while sections < 5 and len(fields) > start and not _SHARE.match(fields[start]):
        sections += 1
        start += length
    directions = _directions(form, sections)
    if directions is None or len(fields) < start + _BEHIND:
        run.problem, run.cut = f"The line ends after {len(fields)} fields", True
        return run
    first = start - sections * length
    taken = []
    for at, direction in zip(range(first, start, length), directions, strict=True):
        moved, _, iops, runtime = fields[at : at + 4]
        if not _COUNT.match(moved) or not _COUNT.match(runtime):
            run.problem = f"{direction}: {moved[:20]!r} KiB in {runtime[:20]!r} ms are no whole numbers"
        elif _take_amounts(run, direction, moved, iops, runtime):
            taken.append((direction, at, at + length))
    return _with_figures(run, sections, partial(_store_figures, text, tuple(taken)) if taken else None)


def _directions(form: str, sections: int) -> tuple[str, ...] | None:
    return (_WITHOUT_TRIMS if form == "3" else _DIRECTIONS).get(sections)


def _with_figures(run: Run, sections: int, later: Callable[[Run], None] | None) -> Run:
    """Return a run of so many sections; ``later`` stores its figures, and is None if it has none."""
    run.later = later
    if later is None and sections == 2:
        run.problem = "No reads and no writes were done; this version of the terse format does not report trims"
    run.notes.append(_NOTE)
    return run


def _take_amounts(run: Run, direction: str, moved: str, iops: str, runtime: str) -> bool:
    """Store the amount and runtime of a section; return whether it has figures."""
    if moved.strip("0") == "" and iops.strip("0") == "":
        return False
    run.amounts[direction] = int(moved)
    if runtime_ms := int(runtime):
        run.runtimes_ms[direction] = runtime_ms
    return True


def _store_usual(text: str, plan: Plan, end: int, run: Run) -> None:
    """Store the figures of the sections of a line in the usual form, which end at a field."""
    run.add_all(plan, text.replace("%=", ";").split(";", end))


def _store_figures(text: str, sections: tuple[tuple[str, int, int], ...], run: Run) -> None:
    """Store the figures of the sections of a line."""
    fields = text.split(";", sections[-1][2])
    for direction, start, end in sections:
        _store_section(run, direction, fields[start:end])


def _store_section(run: Run, direction: str, fields: list[str]) -> None:
    latencies = tuple(
        [
            start
            for start in _LATENCIES
            if fields[start + 1].strip("0.") or "".join(fields[start : start + 4]).strip("0.")
        ]
    )
    samples = tuple([most for most in _SAMPLES if len(fields) > most and fields[most].strip("0")])
    parts = [field.partition("%=") for field in fields[_SHARES]]
    fields[_SHARES] = [part[2] for part in parts]
    # There are no shares if all percentiles are 0.
    shares = tuple([part[0] for part in parts]) if "".join(fields[_SHARES]).strip("0") else ()
    # A hostile file has long fields: they are not cached.
    is_short = len("".join(shares)) <= _LONGEST_SHARES
    run.add_all((_plan if is_short else _plan.__wrapped__)(direction, latencies, shares, samples), fields)


@lru_cache(maxsize=100)
def _usual_plan(length: int, taken: _Taken) -> Plan:
    """Return the plan of a line in the usual form, whose percentiles are two fields each: the share comes first."""
    plan: list[tuple[int, str, str, str, Decimal]] = []
    for direction, section, zeros in taken:
        first = 5 + section * length
        kinds = {kind for kind, zero in zip(_KINDS, zeros, strict=False) if not zero}
        latencies, samples = (tuple([each for each in of if each in kinds]) for of in (_LATENCIES, _SAMPLES))
        for at, *item in _plan(direction, latencies, _USUAL_SHARES if _SHARES.start in kinds else (), samples):
            inside = at if at < _SHARES.start else 2 * at - _SHARES.start + 1 if at < _SHARES.stop else at + 20
            plan.append((first + inside, *item))
    return tuple(plan)


@lru_cache(maxsize=100)
def _plan(direction: str, latencies: tuple[int, ...], shares: tuple[str, ...], samples: tuple[int, ...]) -> Plan:
    """Return the plan of a section: of totals, and of the other figures that it has.

    Latencies are given by the first of their fields, percentiles by their shares, samples by the field of the maximum.
    """
    return (
        (0, f"{direction}_mb", "KiB", "total_io", KIB),
        (1, f"{direction}_mb_per_s", "KiB/s", "bandwidth", KIB),
        (2, f"{direction}_iops", "1/s", "IOPS", _ONE),
        *(
            item
            for start in latencies
            for kind, name in (_LATENCIES[start],)
            for item in _statistics_plan(f"{direction}_{name}", kind, "usec", _ONE, range(start, start + 4))
        ),
        *(
            (place, f"{direction}_completion_latency_us.{statistic}", "usec", f"clat.{share}%", _ONE)
            for place, share in enumerate(shares, start=_SHARES.start)
            if (statistic := percentile_name(share)) and statistic != "p0"
        ),
        *(
            item
            for most in samples
            for name, told_name, unit, factor, places in (_SAMPLES[most],)
            for item in _statistics_plan(f"{direction}_{name}", told_name, unit, factor, places)
        ),
    )


def _statistics_plan(name: str, told_name: str, unit: str, factor: Decimal, places: Sequence[int]) -> Plan:
    """Return the plan for minimum, maximum, mean and standard deviation in four fields of a section."""
    return tuple(
        (place, f"{name}.{STATISTICS[key]}", unit, f"{told_name}.{key}", factor)
        for place, key in zip(places, ("min", "max", "mean", "stddev"), strict=True)
    )
