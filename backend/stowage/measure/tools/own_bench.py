"""Common format of the output of our own benchmarks, DiskBench and NetBench, and its parser.

A document is a JSON object::

    {"stowage": "diskbench", "version": 1,
     "tool_version": "0.1.0",                        # optional
     "name": "8 disks, half of them read",           # optional
     "status": "ok",                                 # ok | partial | failed; optional, ok
     "failure": "disk /dev/nvme3n1 went away",       # required if the status is not ok, not allowed if it is
     "started_at": "2026-11-20T14:30:00+00:00",      # optional; with its zone
     "duration_s": 60,                               # optional; measured time, without warm-up
     "host": {"name": "...", "kernel": "...", "instance_type": "i4i.8xlarge", "region": "us-east-1",
              "zone": "us-east-1a", "nodes": 1, "cpus": 32, "memory_gib": 256,
              "volume_type": "gp3", "volume_id": "vol-..."},                       # each optional
     "settings": {...},                              # optional; texts, numbers, true and false
     "result": {...},                                # figures by metric name, in the unit of the metric
     "told": {"storage_mb_per_s": {"text": "1.7", "unit": "GB/s"}},                # optional; as printed
     "intervals": {"length_s": 1, "read_mb_per_s": [...]},                         # optional; of equal length, in order
     "notes": ["..."]}                               # optional

A file may have several documents, one per line or not. Unknown fields are skipped with a remark, so that a minor
addition does not break an older reader; a change of meaning raises ``version``.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, cast

from stowage.frozen import frozen
from stowage.measure.files.documents import Doubled, Ended, Piece, Text, pieces_of
from stowage.measure.files.figures import bounded, number_of, told
from stowage.measure.files.head import Head
from stowage.measure.files.spans import Recording
from stowage.measure.files.values import Number, Value, number_at, text_at, value_at, written
from stowage.measure.metrics import kind_of
from stowage.measure.reading import MOST_POINTS, Host, Metric, Reading, Remark, Series, Status
from stowage.measure.tool import Tool

VERSION = 1
_FIELDS = frozenset(
    (
        *("stowage", "version", "tool_version", "name", "status", "failure", "started_at", "duration_s"),
        *("host", "settings", "result", "told", "intervals", "notes"),
    )
)
_LONGEST = 200
_MOST_SETTINGS = 50
_MOST_NOTES = 20
_UNITS = {"MB/s": 1.0, "GB/s": 1_000.0, "KB/s": 1e-3, "MiB/s": 1.048576, "GiB/s": 1_073.741824, "Gbit/s": 125.0}


class _Wrong(Exception):
    """Error for a field with an invalid value."""


@frozen
class Form:
    """Metrics that DiskBench or NetBench may report."""

    tool: Tool
    headline: tuple[str, ...]
    """Metrics of which a successful run must report at least one."""
    metrics: Collection[str]
    """All metrics that a result may contain, as names without a statistic."""

    def recognises(self, head: Head) -> bool:
        """Return whether a file is output of the tool: whether its first document has this form."""
        return "stowage" in head.keys and f'"{self.tool}"' in head.text

    def read(self, stream: BinaryIO) -> Iterator[Reading | Remark]:
        """Read every document of a file."""
        whole: Piece | None = None
        for found in pieces_of(stream):
            if isinstance(found, Text):
                yield Remark(
                    found.line, f"{found.text.strip()[:80]!r} stands where a document of {self.tool} was expected"
                )
            elif isinstance(found, Doubled):
                yield Remark(found.line, f"{found.key[:40]!r} stands twice; the last counts")
            elif isinstance(found, Piece):
                whole = found
            elif isinstance(found, Ended):
                if found.problem is not None or whole is None:
                    words = f"the document is not whole: {found.problem or 'it is empty'}"
                    yield Reading(self.tool, None, "failed", words, self.tool, found.first_line, ())
                elif text_at(whole.value, "stowage") != self.tool:
                    yield Remark(found.first_line, f"the document is none of {self.tool}")
                else:
                    yield from _reading(whole, self)
                whole = None


def _reading(piece: Piece, form: Form) -> Iterator[Reading | Remark]:
    value = cast("dict[str, Value]", piece.value)
    for name in sorted(value.keys() - _FIELDS):
        yield Remark(piece.line, f"{name[:40]!r} is no field of {form.tool}, version {VERSION}")
    name = (text_at(value, "name") or form.tool)[:_LONGEST]
    version = text_at(value, "tool_version")
    try:
        _check_version(value)
        status, failure = _status(value)
        metrics = _metrics(value, form, status)
        duration_s = _number(value, "duration_s")
        started_at = _started_at(value)
        yield Reading(
            form.tool,
            version[:_LONGEST] if version else None,
            status,
            failure,
            name,
            piece.line,
            metrics,
            settings=_settings(value),
            started_at=started_at,
            duration_s=duration_s,
            host=_host(value),
            series=_series(value, form, started_at),
            notes=_notes(value),
        )
    except _Wrong as wrong:
        yield Remark(piece.line, str(wrong))
        yield Reading(form.tool, version, "failed", f"the document is wrong: {wrong}"[:500], name, piece.line, ())


def _check_version(value: Value) -> None:
    found = value_at(value, "version")
    if found != Number(str(VERSION)):
        raise _Wrong(f"version is {found!r}, not {VERSION}"[:_LONGEST])


def _status(value: Value) -> tuple[Status, str | None]:
    status, failure = text_at(value, "status") or "ok", text_at(value, "failure")
    if status not in {"ok", "partial", "failed"}:
        raise _Wrong(f"status is {status[:40]!r}, none of ok, partial, failed")
    if (status == "ok") != (not failure):
        raise _Wrong("failure is needed where the status is not ok, and nowhere else")
    return cast("Status", status), failure[:_LONGEST] if failure else None


def _metrics(value: Value, form: Form, status: Status) -> tuple[Metric, ...]:
    result = value_at(value, "result")
    if not isinstance(result, dict):
        if status == "ok":
            raise _Wrong("result is missing, an object of figures")
        return ()
    metrics = []
    for name, number in result.items():
        if name.partition(".")[0] not in form.metrics:
            raise _Wrong(f"result.{name[:40]} is none of {', '.join(sorted(form.metrics))}")
        figure = bounded(number.value) if isinstance(number, Number) else None
        if not isinstance(number, Number) or figure is None or figure < 0:
            raise _Wrong(f"result.{name} is {number!r}, not a finite number from 0 on"[:_LONGEST])
        try:
            unit = kind_of(name).unit
        except KeyError:
            raise _Wrong(f"result.{name[:60]} has a statistic that is not known") from None
        printed = value_at(value, "told", name)
        metrics.append(Metric(name, figure, told(*(_printed(printed, figure) or (number.text, unit)), name)))
    if status == "ok" and not any(metric.name in form.headline and metric.value > 0 for metric in metrics):
        raise _Wrong(f"result has none of {', '.join(form.headline)} above 0")
    return tuple(metrics)


def _printed(value: Value, figure: float) -> tuple[str, str] | None:
    """Return the text and the unit with which a tool printed a figure.

    It raises `_Wrong` if they do not match the figure.
    """
    if value is None:
        return None
    text, unit = text_at(value, "text"), text_at(value, "unit")
    number = number_of(text.replace(",", "")) if text else None
    if text is None or unit not in _UNITS or number is None:
        raise _Wrong(f"told is an object of text and unit, one of {', '.join(_UNITS)}")
    if not math.isclose(number * _UNITS[unit], figure, rel_tol=1e-9):
        raise _Wrong(f"told says {text} {unit}, result {figure}")
    return text, unit


def _number(value: Value, name: str) -> float | None:
    found = value_at(value, name)
    if found is None:
        return None
    figure = bounded(found.value) if isinstance(found, Number) else None
    if figure is None or figure <= 0:
        raise _Wrong(f"{name} is {found!r}, not a number above 0"[:_LONGEST])
    return figure


def _started_at(value: Value) -> datetime | None:
    text = value_at(value, "started_at")
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise _Wrong(f"started_at is {text!r}, not a time with its zone, as in 2026-11-20T14:30:00+00:00"[:_LONGEST])
    return found


def _host(value: Value) -> Host:
    host = value_at(value, "host")
    if host is None:
        return Host()
    memory = number_at(host, "memory_gib")
    texts = ("name", "kernel", "instance_type", "region", "zone", "volume_type", "volume_id")
    found: dict[str, Any] = {name: (text_at(host, name) or "")[:_LONGEST] or None for name in texts}
    found |= {name: _count(host, name) for name in ("nodes", "cpus")}
    return Host(**found, memory_gib=bounded(memory.value) if memory is not None else None)


def _count(value: Value, name: str) -> int | None:
    number = number_at(value, name)
    return int(number.text) if number is not None and number.text.isdecimal() and len(number.text) < 8 else None


def _settings(value: Value) -> Mapping[str, str]:
    settings = value_at(value, "settings")
    members = settings.items() if isinstance(settings, dict) else ()
    texts = ((name, str(said).lower() if isinstance(said, bool) else written(said)) for name, said in members)
    said = ((name[:_LONGEST], text[:_LONGEST]) for name, text in texts if text is not None)
    return dict(islice(said, _MOST_SETTINGS))


def _notes(value: Value) -> tuple[str, ...]:
    notes = value_at(value, "notes")
    return tuple(
        note[:500] for note in (notes if isinstance(notes, list) else [])[:_MOST_NOTES] if isinstance(note, str)
    )


def _series(value: Value, form: Form, started_at: datetime | None) -> tuple[Series, ...]:
    intervals = value_at(value, "intervals")
    if intervals is None:
        return ()
    length = number_at(intervals, "length_s")
    length_s = bounded(length.value) if length is not None else None
    if length_s is None or length_s <= 0:
        raise _Wrong("intervals.length_s is missing, a number above 0")
    recording = Recording()
    for name, values in intervals.items() if isinstance(intervals, dict) else ():
        if name == "length_s":
            continue
        if name not in form.metrics or not isinstance(values, list) or len(values) > 50 * MOST_POINTS:
            raise _Wrong(f"intervals.{name[:40]} is no list of figures of a metric that is known")
        for place, number in enumerate(values):
            figure = bounded(number.value) if isinstance(number, Number) else None
            if figure is None or figure < 0:
                raise _Wrong(f"intervals.{name} holds {number!r} at {place}"[:_LONGEST])
            recording.add(name, "", (place * length_s, (place + 1) * length_s), figure)
    return recording.series(started_at, 0.0)
