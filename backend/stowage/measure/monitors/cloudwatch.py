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
from itertools import pairwise

from stowage.frozen import frozen
from stowage.measure.files.clocks import iso_of, moment
from stowage.measure.files.documents import Ended, Piece, Started, Text
from stowage.measure.files.figures import bounded
from stowage.measure.files.head import Head
from stowage.measure.files.reader import DocumentReader
from stowage.measure.files.values import Number, Value, number_at, text_at, value_at
from stowage.measure.monitors.watched import Watched
from stowage.measure.reading import Host, Reading, Remark

_MOST_POINTS = 200_000
_MOST_LISTS = 500
_MOST_WORDS = 20
_VOLUME = re.compile(r"vol-[0-9a-f]{8,17}\b")


@frozen
class _Kind:
    """Conversion of one CloudWatch metric to one of our metrics.

    Our value is the sum or the average of the CloudWatch metric over a period, times a factor.
    """

    metric: str
    factor: float
    unit: str
    summed: bool = True
    """True if values are computed from the metric's sum over a period, false if from its average."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Return the CloudWatch statistics that can be used, the best one first."""
        return ("Sum",) if self.summed else ("Average", "Minimum", "Maximum")


_BYTES = 1e-6
_KINDS: Mapping[str, _Kind] = {
    "VolumeReadBytes": _Kind("volume_read_mb_per_s", _BYTES, "Bytes"),
    "VolumeWriteBytes": _Kind("volume_write_mb_per_s", _BYTES, "Bytes"),
    "VolumeReadOps": _Kind("volume_read_iops", 1.0, "Count"),
    "VolumeWriteOps": _Kind("volume_write_iops", 1.0, "Count"),
    "VolumeQueueLength": _Kind("volume_queue", 1.0, "Count", summed=False),
    "VolumeIdleTime": _Kind("volume_idle_share", 1.0, "Seconds"),
    "BurstBalance": _Kind("volume_burst_balance_share", 0.01, "Percent", summed=False),
    "EBSReadBytes": _Kind("device_read_mb_per_s", _BYTES, "Bytes"),
    "EBSWriteBytes": _Kind("device_write_mb_per_s", _BYTES, "Bytes"),
    "EBSReadOps": _Kind("device_read_iops", 1.0, "Count"),
    "EBSWriteOps": _Kind("device_write_iops", 1.0, "Count"),
    "DiskReadBytes": _Kind("device_read_mb_per_s", _BYTES, "Bytes"),
    "DiskWriteBytes": _Kind("device_write_mb_per_s", _BYTES, "Bytes"),
    "NetworkIn": _Kind("interface_received_mb_per_s", _BYTES, "Bytes"),
    "NetworkOut": _Kind("interface_sent_mb_per_s", _BYTES, "Bytes"),
}
_NAME = re.compile(rf"(?<![A-Za-z])({'|'.join(_KINDS)})(?![A-Za-z])")
_STATISTICS = ("Sum", "Average", "Maximum", "Minimum")


def recognises(head: Head) -> bool:
    """Return whether a file is a CloudWatch response."""
    return bool({"MetricDataResults", "Datapoints", "MetricDataQueries"} & set(head.keys))


@frozen
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

    query: _Query
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


class _Reader(DocumentReader[Reading]):
    """State of the reader, either within a response or within the request before it."""

    opened = frozenset({("MetricDataResults",), ("Datapoints",), ("MetricDataQueries",), ("Messages",)})

    def __init__(self) -> None:
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

    def text(self, line: Text) -> Iterator[Remark]:
        """Process a line of text."""
        yield Remark(line.line, f"{line.text.strip()[:80]!r} stands where an answer of CloudWatch was expected")

    def started(self, _started: Started) -> tuple[()]:
        """Process the beginning of a document."""
        self._begin()
        return ()

    def piece(self, piece: Piece) -> Iterator[Remark]:
        """Process one value of a document."""
        match piece.path:
            case ("Label",) if isinstance(piece.value, str):
                self._label = piece.value
            case ("NextToken",) if piece.value:
                self._problem("there is more of it: the answer ends with a NextToken")
            case ("MetricDataQueries", _):
                self._kind = "request"
                self._query(piece.value)
            case ("Messages", _):
                self._note(f"CloudWatch says: {(text_at(piece.value, 'Value') or '')[:200]}")
            case ("Datapoints" | "MetricDataResults", *members) if len(members) < 2:
                self._kind = "answer"
                if members:
                    take = self._datapoint if piece.path[0] == "Datapoints" else self._result
                    yield from take(piece.line, piece.value)

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
        query = self._queries.get(key) or _query_of(label)
        if query is None or query.name not in _KINDS:
            yield Remark(line, f"{(query.name if query else label or key)[:80]!r} is not a supported metric")
            return
        points = _Points(query)
        code = text_at(value, "StatusCode")
        if code is not None and code != "Complete":
            self._problem(f"CloudWatch answered {code[:40]} for {query.name}")
        if len(self._lists) == _MOST_LISTS:
            self._problem(f"more than {_MOST_LISTS} metrics in one answer")
            return
        times, values = value_at(value, "Timestamps"), value_at(value, "Values")
        if not isinstance(times, list) or not isinstance(values, list) or len(times) != len(values):
            self._problem(f"{query.name} has not as many times as values")
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
            points = self._by_statistic.setdefault(statistic, _Points(_Query("", statistic, None, "")))
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

    def ended(self, ended: Ended) -> Iterator[Reading | Remark]:
        """Process the end of a document."""
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
        points.query = _Query(named[1], chosen, None, "")
        self._lists.append(points)

    def _reading(self, line: int) -> Reading:
        watched = Watched(line, zone_known=True)
        for points in self._lists:
            self._add(watched, points)
        problem = "; ".join(self._problems)[:500]
        if not watched.figures:
            problem = problem or "it has no points of a supported metric"
        if watched.recording.left_out:
            self._note(f"{watched.recording.left_out} values are left out: too many, or twice at one time")
        watched.notes += self._notes
        volumes = {points.query.volume for points in self._lists if points.query.volume.startswith("vol-")}
        watched.host = Host(volume_id=volumes.pop()) if len(volumes) == 1 else Host()
        names = " ".join(dict.fromkeys(points.query.name for points in self._lists))[:200]
        return watched.made("cloudwatch", names or "CloudWatch", problem or None)

    def _add(self, watched: Watched, points: _Points) -> None:
        query = points.query
        kind, period_s = _KINDS[query.name], query.period_s or _period_of(points.times)
        if query.statistic and query.statistic not in kind.statistics:
            self._problem(f"{query.name} has no rate in its {query.statistic}")
            return
        if period_s is None:
            if points.times:
                self._problem(f"{query.name} has a single time, so its period is unknown")
            return
        if query.period_s is None:
            self._note(f"The period of {query.name} is taken for {period_s:g} s, its smallest step")
        if not query.statistic:
            self._note(f"{query.name} is taken for {'sums' if kind.summed else 'averages'} over the period")
        watched.zone_known = watched.zone_known and points.zones_known
        divisor = period_s if kind.summed else 1.0
        for at, value in sorted(zip(points.times, points.values, strict=True)):
            watched.recording.add(kind.metric, query.volume, (at, at + period_s), value * kind.factor / divisor)
            watched.extend(at, at + period_s)
        unit = f"{kind.unit} in {divisor:g} s" if kind.summed else kind.unit
        label = f"{query.name} of {query.volume}" if query.volume else query.name
        for found in (points.smallest, points.largest):
            if found is not None:
                watched.figures.extreme(kind.metric, found[0] * kind.factor / divisor, found[1], unit, label)


def _query_of(label: str) -> _Query | None:
    """Return what the label of a result says about the request for it."""
    named, volume = _NAME.search(label), _VOLUME.search(label)
    statistic = next((word for word in _STATISTICS if word in label), "")
    return _Query(named[1], statistic, None, volume[0] if volume else "") if named else None


def _period(number: Number | None) -> float | None:
    """Parse the period in a request, which is a whole number of seconds."""
    digits = "" if number is None else number.text
    return float(digits) if digits.isdecimal() and 0 < int(digits) <= 86_400 else None


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


read = _Reader.read
