"""Reader of CloudWatch metrics of EBS volumes and of instances' EBS links.

It accepts responses of ``get-metric-data`` and ``get-metric-statistics``.

Neither response states its period, which is assumed to be the smallest step between two timestamps. ``get-metric-data``
does not state its statistic either: bytes, operations and idle time are assumed to be sums, other metrics averages. The
request (a document with ``MetricDataQueries``) may precede the response in the file. Then the period, the statistic and
the volume are taken from the request.

Rates are sums divided by the period. Not tested with: responses of a real account. Written from the API reference,
version 2010-08-01.
"""

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import BinaryIO, Literal

from stowage.measure.files.clocks import UNKNOWN_ZONE, iso_of, moment
from stowage.measure.files.documents import Ended, Piece, Started, Text, pieces_of
from stowage.measure.files.figures import bounded, told
from stowage.measure.files.head import Head
from stowage.measure.files.spans import Recording
from stowage.measure.files.values import Number, Value, number_at, text_at, value_at
from stowage.measure.reading import Host, Metric, Reading, Remark, Status

_OPENED = {("MetricDataResults",), ("Datapoints",), ("MetricDataQueries",), ("Messages",)}
_MOST_POINTS = 200_000
_MOST_LISTS = 500
_MOST_WORDS = 20
_VOLUME = re.compile(r"vol-[0-9a-f]{8,17}\b")


@dataclass(frozen=True, slots=True)
class _Kind:
    """Conversion of one CloudWatch metric to one of our metrics.

    Our value is the sum or the average of the CloudWatch metric over a period, times a factor.
    """

    metric: str
    taken: Literal["sum", "average"]
    factor: float
    unit: str

    @property
    def summed(self) -> bool:
        """Return whether our value is computed from the sum of the CloudWatch metric over a period."""
        return self.taken == "sum"

    @property
    def statistics(self) -> tuple[str, ...]:
        """Return the CloudWatch statistics that can be used, the best one first."""
        return ("Sum",) if self.summed else ("Average", "Minimum", "Maximum")


_BYTES = 1e-6
_KINDS: Mapping[str, _Kind] = {
    "VolumeReadBytes": _Kind("volume_read_mb_per_s", "sum", _BYTES, "Bytes"),
    "VolumeWriteBytes": _Kind("volume_write_mb_per_s", "sum", _BYTES, "Bytes"),
    "VolumeReadOps": _Kind("volume_read_iops", "sum", 1.0, "Count"),
    "VolumeWriteOps": _Kind("volume_write_iops", "sum", 1.0, "Count"),
    "VolumeQueueLength": _Kind("volume_queue", "average", 1.0, "Count"),
    "VolumeIdleTime": _Kind("volume_idle_share", "sum", 1.0, "Seconds"),
    "BurstBalance": _Kind("volume_burst_balance_share", "average", 0.01, "Percent"),
    "EBSReadBytes": _Kind("device_read_mb_per_s", "sum", _BYTES, "Bytes"),
    "EBSWriteBytes": _Kind("device_write_mb_per_s", "sum", _BYTES, "Bytes"),
    "EBSReadOps": _Kind("device_read_iops", "sum", 1.0, "Count"),
    "EBSWriteOps": _Kind("device_write_iops", "sum", 1.0, "Count"),
    "DiskReadBytes": _Kind("device_read_mb_per_s", "sum", _BYTES, "Bytes"),
    "DiskWriteBytes": _Kind("device_write_mb_per_s", "sum", _BYTES, "Bytes"),
    "NetworkIn": _Kind("interface_received_mb_per_s", "sum", _BYTES, "Bytes"),
    "NetworkOut": _Kind("interface_sent_mb_per_s", "sum", _BYTES, "Bytes"),
}
_NAME = re.compile(rf"(?<![A-Za-z])({'|'.join(_KINDS)})(?![A-Za-z])")
_STATISTICS = ("Sum", "Average", "Maximum", "Minimum")


def recognises(head: Head) -> bool:
    """Return whether a file is a CloudWatch response."""
    return bool({"MetricDataResults", "Datapoints", "MetricDataQueries"} & set(head.keys))


def read(stream: BinaryIO) -> Iterator[Reading | Remark]:
    """Read a file, and yield one result for each CloudWatch response."""
    reader = _Reader()
    for found in pieces_of(stream, _OPENED):
        if isinstance(found, Text):
            yield Remark(found.line, f"{found.text.strip()[:80]!r} stands where an answer of CloudWatch was expected")
        elif isinstance(found, Started):
            reader.begin(found.line)
        elif isinstance(found, Piece):
            yield from reader.take(found)
        elif isinstance(found, Ended):
            yield from reader.end(found)


@dataclass(frozen=True, slots=True)
class _Query:
    """One metric that a CloudWatch request asks for."""

    name: str
    statistic: str
    period_s: float | None
    volume: str


@dataclass(slots=True)
class _Points:
    """Times and values of one metric of one volume.

    The largest and the smallest value also have the printed text.
    """

    name: str
    statistic: str
    of: str
    period_s: float | None
    times: "array[float]" = field(default_factory=lambda: array("d"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    largest: tuple[float, str] | None = None
    smallest: tuple[float, str] | None = None
    zones_known: bool = True

    def add(self, at: tuple[float, bool], number: Number, value: float) -> bool:
        if len(self.times) == _MOST_POINTS:
            return False
        self.times.append(at[0])
        self.values.append(value)
        self.zones_known = self.zones_known and at[1]
        if self.largest is None or value > self.largest[0]:
            self.largest = value, number.text
        if self.smallest is None or value < self.smallest[0]:
            self.smallest = value, number.text
        return True


class _Reader:
    """State of the reader, either within a response or within the request before it."""

    def __init__(self) -> None:
        self._line = 1
        self._queries: dict[str, _Query] = {}
        self._begin()

    def _begin(self) -> None:
        self._label: str | None = None
        self._kind: str | None = None
        self._lists: list[_Points] = []
        self._by_statistic: dict[str, _Points] = {}
        # Kept in order, each once.
        self._problems: dict[str, None] = {}
        self._notes: dict[str, None] = {}

    def _problem(self, words: str) -> None:
        if len(self._problems) < _MOST_WORDS:
            self._problems[words] = None

    def _note(self, words: str) -> None:
        if len(self._notes) < _MOST_WORDS:
            self._notes[words] = None

    def begin(self, line: int) -> None:
        self._begin()
        self._line = line

    def take(self, piece: Piece) -> Iterator[Reading | Remark]:
        path = piece.path
        if path == ("Label",) and isinstance(piece.value, str):
            self._label = piece.value
        elif path == ("NextToken",) and piece.value:
            self._problem("there is more of it: the answer ends with a NextToken")
        elif len(path) == 2 and path[0] == "MetricDataQueries":
            self._kind = "request"
            self._query(piece.value)
        elif len(path) == 2 and path[0] == "Datapoints":
            self._kind = "answer"
            yield from self._datapoint(piece.line, piece.value)
        elif len(path) == 2 and path[0] == "MetricDataResults":
            self._kind = "answer"
            yield from self._result(piece.line, piece.value)
        elif len(path) == 2 and path[0] == "Messages":
            self._note(f"CloudWatch says: {(text_at(piece.value, 'Value') or '')[:200]}")
        elif path in {("Datapoints",), ("MetricDataResults",)}:
            self._kind = "answer"

    def _query(self, value: Value) -> None:
        name = text_at(value, "MetricStat", "Metric", "MetricName")
        key = text_at(value, "Id")
        if name is None or key is None or len(self._queries) >= 1_000:
            return
        period = number_at(value, "MetricStat", "Period")
        dimensions = value_at(value, "MetricStat", "Metric", "Dimensions")
        of = [text_at(item, "Value") or "" for item in (dimensions if isinstance(dimensions, list) else [])]
        self._queries[key] = _Query(
            name,
            text_at(value, "MetricStat", "Stat") or "",
            _period(period),
            of[0][:128] if of else "",
        )

    def _result(self, line: int, value: Value) -> Iterator[Remark]:
        label, key = text_at(value, "Label") or "", text_at(value, "Id") or ""
        query = self._queries.get(key)
        named = _NAME.search(query.name if query else label)
        if named is None or (query is not None and query.name not in _KINDS):
            yield Remark(line, f"{(query.name if query else label or key)[:80]!r} is not a supported metric")
            return
        volume = _VOLUME.search(label)
        statistic = query.statistic if query else next((word for word in _STATISTICS if word in label), "")
        points = _Points(
            named[1],
            statistic,
            query.volume if query else volume[0] if volume else "",
            query.period_s if query else None,
        )
        code = text_at(value, "StatusCode")
        if code is not None and code != "Complete":
            self._problem(f"CloudWatch answered {code[:40]} for {named[1]}")
        if len(self._lists) == _MOST_LISTS:
            self._problem(f"more than {_MOST_LISTS} metrics in one answer")
            return
        times, values = value_at(value, "Timestamps"), value_at(value, "Values")
        if not isinstance(times, list) or not isinstance(values, list) or len(times) != len(values):
            self._problem(f"{named[1]} has not as many times as values")
            return
        for at, number in zip(times, values, strict=True):
            yield from self._point(line, points, at, number)
        self._lists.append(points)

    def _datapoint(self, line: int, value: Value) -> Iterator[Remark]:
        found = False
        for statistic in _STATISTICS:
            number = number_at(value, statistic)
            if number is None:
                continue
            found = True
            points = self._by_statistic.setdefault(statistic, _Points("", statistic, "", None))
            yield from self._point(line, points, value_at(value, "Timestamp"), number)
        if not found:
            yield Remark(line, f"a data point has none of {', '.join(_STATISTICS)}")

    def _point(self, line: int, points: _Points, at: Value, number: Value) -> Iterator[Remark]:
        when = _time_of(at)
        value = bounded(number.value) if isinstance(number, Number) else None
        if when is None or value is None or not isinstance(number, Number):
            shown = f"{at!r}: {number!r}"
            yield Remark(line, f"{shown[:80]} is no time and figure")
        elif not points.add(when, number, value):
            self._problem(f"more than {_MOST_POINTS:,} points of one metric")

    def end(self, ended: Ended) -> Iterator[Reading | Remark]:
        if ended.problem:
            self._problem(ended.problem)
        if self._kind == "request":
            return
        if self._kind is None:
            yield Remark(ended.first_line, "a JSON document that is no answer of CloudWatch")
            return
        yield from self._statistics(ended.first_line)
        yield self._reading(ended.first_line)

    def _statistics(self, line: int) -> Iterator[Remark]:
        """Choose the statistic from which rates are computed.

        It is used for responses of ``get-metric-statistics``, which may have several statistics.
        """
        if not self._by_statistic:
            return
        named = _NAME.search(self._label or "")
        if named is None:
            yield Remark(line, f"{(self._label or 'an answer without a label')[:80]!r} is not a supported metric")
            return
        chosen = next((name for name in _KINDS[named[1]].statistics if name in self._by_statistic), None)
        if chosen is None:
            yield Remark(line, f"{named[1]} has a rate only in its Sum, which is missing")
            return
        points = self._by_statistic[chosen]
        points.name = named[1]
        self._lists.append(points)

    def _reading(self, line: int) -> Reading:
        recording, metrics = Recording(), dict[str, Metric]()
        starts: list[float] = []
        ends: list[float] = []
        zones_known = True
        for points in self._lists:
            period_s = points.period_s or _period_of(points.times)
            kind = _KINDS[points.name]
            if points.statistic and points.statistic not in (
                ("Sum",) if kind.summed else ("Average", "Minimum", "Maximum")
            ):
                self._problem(f"{points.name} has no rate in its {points.statistic}")
                continue
            if period_s is None:
                if points.times:
                    self._problem(f"{points.name} has a single time, so its period is unknown")
                continue
            self._assume(points, kind, period_s)
            zones_known = zones_known and points.zones_known
            divisor = period_s if kind.summed else 1.0
            for at, value in sorted(zip(points.times, points.values, strict=True)):
                recording.add(kind.metric, points.of, (at, at + period_s), value * kind.factor / divisor)
                starts.append(at)
                ends.append(at + period_s)
            _extremes(metrics, points, kind, divisor)
        return self._made(
            line, recording, metrics, (min(starts), max(ends)) if starts else None, zones_known=zones_known
        )

    def _assume(self, points: _Points, kind: _Kind, period_s: float) -> None:
        if points.period_s is None:
            self._note(f"The period of {points.name} is taken for {period_s:g} s, its smallest step")
        if not points.statistic:
            self._note(f"{points.name} is taken for {'sums' if kind.summed else 'averages'} over the period")

    def _made(
        self,
        line: int,
        recording: Recording,
        metrics: Mapping[str, Metric],
        span: tuple[float, float] | None,
        *,
        zones_known: bool,
    ) -> Reading:
        problem = "; ".join(self._problems)[:500]
        status: Status = "ok"
        if not metrics:
            status, problem = "partial", problem or "it has no points of a supported metric"
        elif problem:
            status = "partial"
        if recording.left_out:
            self._note(f"{recording.left_out} values are left out: too many, or twice at one time")
        if span and not zones_known:
            self._note(UNKNOWN_ZONE)
        volumes = {points.of for points in self._lists if points.of.startswith("vol-")}
        started_at: datetime | None = moment(span[0]) if span else None
        return Reading(
            "cloudwatch",
            None,
            status,
            problem or None,
            " ".join(dict.fromkeys(points.name for points in self._lists))[:200] or "CloudWatch",
            line,
            tuple(metrics.values()),
            started_at=started_at,
            duration_s=span[1] - span[0] if span and span[1] > span[0] else None,
            host=Host(volume_id=volumes.pop()) if len(volumes) == 1 else Host(),
            series=recording.series(started_at, span[0] if span else 0.0),
            notes=tuple(self._notes),
        )


def _extremes(metrics: dict[str, Metric], points: _Points, kind: _Kind, divisor: float) -> None:
    """Store the extreme of a metric over all volumes.

    It is the minimum for a burst-credit balance, and the maximum for other metrics.
    """
    smallest = kind.metric == "volume_burst_balance_share"
    found = points.smallest if smallest else points.largest
    if found is None:
        return
    key = f"{kind.metric}.{'min' if smallest else 'max'}"
    value = found[0] * kind.factor / divisor
    known = metrics.get(key)
    if known is None or (value < known.value if smallest else value > known.value):
        unit = f"{kind.unit} in {divisor:g} s" if kind.summed else kind.unit
        metrics[key] = Metric(
            key, value, told(found[1], unit, f"{points.name} of {points.of}" if points.of else points.name)
        )


def _period(number: Number | None) -> float | None:
    """Parse the period in a request, which is a whole number of seconds."""
    return (
        float(number.text)
        if number is not None and number.text.isdecimal() and 0 < int(number.text) <= 86_400
        else None
    )


def _period_of(times: "array[float]") -> float | None:
    """Return the smallest step between two times [s]."""
    ordered = sorted(times)
    steps = [after - before for before, after in pairwise(ordered) if after > before]
    return bounded(min(steps)) if steps else None


def _time_of(value: Value) -> tuple[float, bool] | None:
    if isinstance(value, Number):
        seconds = value.value
        return (seconds, True) if seconds is not None and moment(seconds) is not None else None
    found = iso_of(value) if isinstance(value, str) and len(value) <= 40 else None
    return (found[0].timestamp(), found[1]) if found else None
