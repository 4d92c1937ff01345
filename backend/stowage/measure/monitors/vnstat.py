"""Reader of vnStat's output, which is the traffic of network interfaces as JSON or text.

The reader uses the finest resolution in a file: five minutes, hours or days. Months, years and top days are too coarse
for a run and are skipped. ``-tr`` and ``-l`` report the traffic during their own run. The last interval of a list is
still in progress: its end is the last update, or is computed from its average rate.

Tested with: 2.10, run for this project: ``--json``, ``-5``, ``-h``, ``-d``, ``-m``, ``-tr`` and ``-l`` with and without
``--json``. Not tested with: JSON of 1.x (``jsonversion`` 1, KiB), known from documentation. XML, hourly graphs and
``--oneline`` are not supported.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time

from stowage.measure.files.clocks import clock_of, date_of, moment
from stowage.measure.files.documents import Ended, Piece, Text
from stowage.measure.files.figures import bounded, number_of
from stowage.measure.files.head import Head
from stowage.measure.files.values import Value, number_at, text_at, value_at
from stowage.measure.monitors.watched import Watched, WatchReader
from stowage.measure.reading import Reading, Remark

_RECEIVED, _SENT = "interface_received_mb_per_s", "interface_sent_mb_per_s"
_WAYS = {"rx": _RECEIVED, "tx": _SENT}
_SPANS_S = {"fiveminute": 300.0, "hour": 3_600.0, "hours": 3_600.0, "day": 86_400.0, "days": 86_400.0}
_TITLES_S = {"5 minute": 300.0, "hourly": 3_600.0, "daily": 86_400.0}

_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,12}[A-Za-z]")
_TITLE = re.compile(
    r"(?P<interface>\S{1,64})\s+/\s+(?P<kind>5 minute|hourly|daily|monthly|yearly|top \d+|traffic statistics)\Z"
)
_AMOUNT = r"(?P<{0}>[0-9]{{1,15}}(?:[.,][0-9]{{1,6}})?) (?P<{0}_unit>(?:[KMGTPE]i?|k)?B)"
_RATE = r"(?P<{0}>[0-9]{{1,15}}(?:[.,][0-9]{{1,6}})?) (?P<{0}_unit>(?:[KMGT]i?|k)?(?:bit|B)/s)"
_ROW = re.compile(
    rf"(?P<label>\S{{1,20}})\s+{_AMOUNT.format('rx')}\s+\|\s+{_AMOUNT.format('tx')}\s+\|\s+{_AMOUNT.format('total')}"
    rf"(?:\s+\|\s+(?:{_RATE.format('rate')})?)?\Z"
)
_LIVE_ROW = re.compile(rf"(?P<statistic>max|average|min)\s+{_RATE.format('rx')}\s+\|\s+{_RATE.format('tx')}\Z")
_LIVE_TIME = re.compile(r"time\s+(?P<count>[0-9]{1,9}(?:[.,][0-9]{1,3})?) (?P<unit>seconds|minutes|hours|days)\Z")
_TRAFFIC = re.compile(r"Traffic average for (?P<interface>\S{1,64})\Z")
_TRAFFIC_ROW = re.compile(rf"(?P<way>rx|tx)\s+{_RATE.format('rate')}\s+[0-9]+ packets/s\Z")
_SAMPLED = re.compile(r".*(?<!\w)[0-9]++ packets sampled in (?P<seconds>[0-9]{1,9}) seconds\Z")
_MONITORING = re.compile(r"Monitoring (?P<interface>\S{1,64}?)\.\.\..*\Z")
_PLACED = re.compile(
    r"Database updated: |\S+ since \S|rx: |monthly|daily|[-+]|(?=.*\brx\b).*\btx\b|estimated |Sampling "
    r"|getting traffic|bytes |packets |(?:max|average|min) .*p/s"
)
_SECONDS = {"seconds": 1.0, "minutes": 60.0, "hours": 3_600.0, "days": 86_400.0}
_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_STATISTICS = {"max": ".max", "average": ".mean", "min": ".min"}


def recognises(head: Head) -> bool:
    """Return whether a file is output of vnStat."""
    if "vnstatversion" in head.keys:
        return True
    lines = (_ESCAPES.sub("", text).strip() for text in head.text.splitlines())
    return any(_TITLE.match(line) or _TRAFFIC.match(line) or line.startswith("Database updated: ") for line in lines)


_Amounts = Mapping[str, tuple[float, str, str]]
"""Bytes, printed text and printed unit, for each of ``rx`` and ``tx``."""


class _Traffic(Watched):
    """Traffic of one interface at one resolution: five minutes, hours or days."""

    def __init__(self, interface: str, line: int, version: str | None = None, *, dated: bool = True) -> None:
        super().__init__(line, zone_known=False)
        self.interface = interface
        self.version = version
        self.dated = dated
        self.span_s: float | None = None
        self.duration_s: float | None = None
        self.problem: str | None = None

    def span(self, start: float, end: float, amounts: _Amounts) -> None:
        """Add the traffic of one interval.

        `amounts` has the bytes, the printed text and the printed unit for each of ``rx`` and ``tx``.
        """
        if end <= start or (self.end is not None and end <= self.end):
            return
        for way, metric in _WAYS.items():
            amount, text, unit = amounts[way]
            value = amount / 1e6 / (end - start)
            self.recording.add(metric, self.interface, (start, end), value)
            self.figures.extreme(metric, value, text, f"{unit} in {end - start:g} s", way)
        self.extend(start, end)

    def reading(self) -> Reading:
        """Return the result for the interface."""
        if not self.figures:
            self.problem = self.problem or "no five minutes, hours or days stand in it"
        length = self.end - self.start if self.start is not None and self.end is not None else None
        return self.made(
            "vnstat",
            f"vnStat of {self.interface}" if self.interface else "vnStat",
            self.problem,
            dated=self.dated,
            tool_version=self.version,
            settings={"interface": self.interface} if self.interface else {},
            duration_s=self.duration_s or length,
        )


class _TextReader:
    """State of the reader of text output."""

    def __init__(self) -> None:
        self._traffic: _Traffic | None = None
        self._day: date | None = None
        self._interface = ""
        self._refused = False
        self._rows: list[tuple[float, float | None, _Amounts]] = []

    def take(self, line: Text) -> Iterator[Reading | Remark]:
        text = _ESCAPES.sub("", line.text).strip()
        if title := _TITLE.match(text):
            yield from self.close(None)
            self._begin(line.line, title["interface"])
            self._refused = title["kind"] not in {*_TITLES_S, "traffic statistics"}
            if title["kind"] in _TITLES_S:
                self._traffic_of(line.line).span_s = _TITLES_S[title["kind"]]
            elif title["kind"] != "traffic statistics":
                self._traffic = None
                yield Remark(line.line, f"{title['kind']} figures are not taken; vnstat --json or -5 tells more")
        elif monitoring := _MONITORING.match(text):
            yield from self.close(None)
            self._interface = monitoring["interface"]
        elif traffic := _TRAFFIC.match(text):
            seconds = self._traffic.duration_s if self._traffic else None
            self._traffic = None
            self._begin(line.line, traffic["interface"])
            self._traffic_of(line.line).duration_s = seconds
        elif row := _ROW.match(text):
            yield from self._row(line.line, row)
        else:
            yield from self._live(line.line, text)

    def _begin(self, line: int, interface: str) -> None:
        self._traffic, self._day = _Traffic(interface, line), None

    def _traffic_of(self, line: int) -> _Traffic:
        self._traffic = self._traffic or _Traffic(self._interface, line)
        return self._traffic

    def _live(self, line: int, text: str) -> Iterator[Remark]:
        if row := _LIVE_ROW.match(text):
            for way, metric in _WAYS.items():
                value = _rate(row[way], row[f"{way}_unit"])
                name = metric + _STATISTICS[row["statistic"]]
                self._traffic_of(line).figures.say(
                    name, value, row[way], row[f"{way}_unit"], f"{row['statistic']} {way}"
                )
        elif row := _TRAFFIC_ROW.match(text):
            metric = _WAYS[row["way"]]
            value = _rate(row["rate"], row["rate_unit"])
            self._traffic_of(line).figures.say(metric, value, row["rate"], row["rate_unit"], row["way"])
        elif lasted := _LIVE_TIME.match(text):
            self._traffic_of(line).duration_s = (number_of(lasted["count"]) or 0.0) * _SECONDS[lasted["unit"]] or None
        elif sampled := _SAMPLED.match(text):
            self._traffic_of(line).duration_s = float(sampled["seconds"]) or None
        elif dated := date_of(text):
            self._day = dated[0]
        elif not _PLACED.match(text):
            yield Remark(line, f"{text[:80]!r} stands where a line of vnStat was expected")

    def _row(self, line: int, row: re.Match[str]) -> Iterator[Remark]:
        traffic = self._traffic
        if traffic is None or traffic.span_s is None:
            if row["label"] != "estimated" and not self._refused:
                yield Remark(
                    line, f"{row['label']}: a sum of a day or a month is not taken; vnstat --json or -5 tells more"
                )
            return
        if row["label"] == "estimated":
            return
        clock = clock_of(row["label"])
        dated = date_of(row["label"]) if clock is None else None
        day = dated[0] if dated else self._day
        if day is None:
            yield Remark(line, f"{row['label']!r} stands where a day or a time of day was expected")
            return
        start = datetime.combine(day, clock or time(), UTC).timestamp()
        amounts = {way: (_bytes(row[way], row[f"{way}_unit"]), row[way], row[f"{way}_unit"]) for way in _WAYS}
        total = _bytes(row["total"], row["total_unit"])
        rate = _rate(row["rate"], row["rate_unit"]) if row["rate"] else 0.0
        lasted = total / 1e6 / rate if rate > 0 else None
        self._keep(traffic)
        self._rows.append((start, lasted, amounts))

    def _keep(self, traffic: _Traffic, *, last: bool = False) -> None:
        """Store the pending row.

        Its interval is complete, unless it is the last row of a list, whose interval may still be in progress.
        """
        for start, lasted, amounts in self._rows:
            span_s = traffic.span_s or 0.0
            going_on = last and lasted is not None and lasted < 0.97 * span_s
            traffic.span(start, start + (lasted if going_on and lasted else span_s), amounts)
        self._rows.clear()

    def close(self, problem: str | None) -> Iterator[Reading]:
        if self._traffic is not None:
            self._keep(self._traffic, last=True)
            self._traffic.problem = problem
            yield self._traffic.reading()
        self._traffic = None


class _Reader(WatchReader):
    """State of the reader of text and JSON documents."""

    opened = frozenset({("interfaces",)})

    def __init__(self) -> None:
        self._text = _TextReader()
        self._said: dict[str, Value] = {}
        self._live: _Traffic | None = None
        self._seconds = 0.0
        self._found = False

    def text(self, line: Text) -> Iterator[Reading | Remark]:
        """Process a line of text."""
        return self._text.take(line)

    def close(self, problem: str | None) -> Iterator[Reading]:
        """Yield the results of the runs that have ended."""
        yield from self._text.close(problem)
        yield from self._close()

    def piece(self, piece: Piece) -> Iterator[Reading | Remark]:
        """Process one value of a document."""
        match piece.path:
            case (name,):
                self._said[str(name)[:40]] = piece.value
            case ("interfaces", *_) if isinstance(piece.value, dict):
                self._found = True
                yield from self._interface(piece.line, piece.value)

    def _interface(self, line: int, value: Value) -> Iterator[Reading | Remark]:
        name = text_at(value, "name") or text_at(value, "id") or ""
        version = text_at(self._said, "vnstatversion")
        traffic = _Traffic(name[:64], line, version)
        factor = 1024.0 if text_at(self._said, "jsonversion") == "1" else 1.0
        lists = value_at(value, "traffic")
        for key, span_s in _SPANS_S.items():
            rows = lists.get(key) if isinstance(lists, dict) else None
            if isinstance(rows, list) and rows:
                numbered = [_with_hour(row) for row in rows] if key == "hours" else rows
                yield from self._rows(line, traffic, numbered, span_s, factor, _row_start(value_at(value, "updated")))
                break
        yield traffic.reading()

    def _rows(
        self, line: int, traffic: _Traffic, rows: list[Value], span_s: float, factor: float, updated: float | None
    ) -> Iterator[Remark]:
        spans: list[tuple[float, _Amounts]] = []
        stamped = True
        for row in rows:
            start = _row_start(row)
            amounts = _amounts(row, factor=factor)
            if start is None or amounts is None:
                yield Remark(line, f"a span of {traffic.interface} has no time, or no rx and tx")
            else:
                stamped = stamped and number_at(row, "timestamp") is not None
                spans.append((start, amounts))
        traffic.zone_known = stamped
        spans.sort(key=lambda span: span[0])
        for place, (start, amounts) in enumerate(spans):
            end = start + span_s
            if place == len(spans) - 1 and updated is not None and start < updated < end:
                end = updated
            traffic.span(start, end, amounts)

    def ended(self, ended: Ended) -> Iterator[Reading | Remark]:
        """Process the end of a document."""
        said, self._said = self._said, {}
        found, self._found = self._found, False
        if ended.problem:
            yield Remark(ended.line, f"a document is not whole: {ended.problem}")
            if not found:
                yield from self._fail(ended.first_line, ended.problem)
        elif not found:
            yield from self._sample(ended.first_line, said)

    def _fail(self, line: int, problem: str) -> Iterator[Reading]:
        live, self._live = self._live or _Traffic("", line), None
        live.problem = problem
        yield live.reading()

    def _sample(self, line: int, said: dict[str, Value]) -> Iterator[Reading | Remark]:
        """Process a document of ``-tr`` or ``-l``.

        ``-l`` writes several documents.
        """
        if "interface" in said:
            yield from self._close()
            version, interface = text_at(said, "vnstatversion"), text_at(said, "interface")
            self._live, self._seconds = _Traffic((interface or "")[:64], line, version, dated=False), 0.0
            if "rx" in said:
                self._average(self._live, said)
                yield from self._close()
        elif self._live is not None and "index" in said:
            self._second(self._live, said)
        elif self._live is not None and "seconds" in said:
            self._summary(self._live, said)
            yield from self._close()
        else:
            yield Remark(line, "a JSON document without traffic of vnStat")

    @staticmethod
    def _average(live: _Traffic, said: dict[str, Value]) -> None:
        for way, metric in _WAYS.items():
            if (rate := _figure(said, way, "bytespersecond")) is not None:
                live.figures.say(metric, rate[0] / 1e6, rate[1], "B/s", f"{way} bytespersecond")
        lasted = _figure(said, "sampletime")
        live.duration_s = lasted[0] if lasted is not None and lasted[0] > 0 else None

    def _second(self, live: _Traffic, said: dict[str, Value]) -> None:
        until = _figure(said, "seconds")
        if until is None or until[0] <= self._seconds:
            return
        if (amounts := _amounts(said, "bytes")) is None:
            return
        live.span(self._seconds, until[0], amounts)
        self._seconds = until[0]

    @staticmethod
    def _summary(live: _Traffic, said: dict[str, Value]) -> None:
        lasted = _figure(said, "seconds")
        if lasted is None or lasted[0] <= 0:
            live.duration_s = None
            return
        for way, metric in _WAYS.items():
            if (total := _figure(said, way, "totalbytes")) is not None:
                mean, words = total[0] / 1e6 / lasted[0], f"{total[1]} / {lasted[1]}"
                live.figures.say(f"{metric}.mean", mean, words, "B / s", f"{way} totalbytes / seconds")
        live.duration_s = lasted[0]

    def _close(self) -> Iterator[Reading]:
        if self._live is not None:
            if self._live.duration_s is None and self._live.problem is None:
                self._live.problem = "it ends before the summary"
            yield self._live.reading()
        self._live = None


def _figure(value: Value, *keys: str) -> tuple[float, str] | None:
    """Return the number at a path of keys, and its digits; None if there is none that can be used."""
    number = number_at(value, *keys)
    figure = bounded(number.value) if number is not None else None
    return (figure, number.text) if number is not None and figure is not None else None


def _amounts(value: Value, *keys: str, factor: float = 1.0) -> _Amounts | None:
    """Return the traffic of an interval; None if a direction is missing."""
    found = {way: _figure(value, way, *keys) for way in _WAYS}
    unit = "KiB" if factor > 1 else "B"
    amounts = {way: (one[0] * factor, one[1], unit) for way, one in found.items() if one and one[0] >= 0}
    return amounts if len(amounts) == len(_WAYS) else None


def _row_start(row: Value) -> float | None:
    stamp = number_at(row, "timestamp")
    if stamp is not None and stamp.value is not None and moment(stamp.value) is not None:
        return stamp.value
    parts = [number_at(row, "date", name) for name in ("year", "month", "day")]
    hour = number_at(row, "time", "hour")
    minute = number_at(row, "time", "minute") or number_at(row, "time", "minutes")
    try:
        year, month, day = (int(part.text) for part in parts if part is not None)
        clock = time(int(hour.text) if hour else 0, int(minute.text) if minute else 0)
        return datetime.combine(date(year, month, day), clock, UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _with_hour(row: Value) -> Value:
    """Add the time of day to an hourly row of JSON version 1.

    In this version, the id of the row is the hour.
    """
    number = number_at(row, "id")
    return {**row, "time": {"hour": number}} if isinstance(row, dict) and number is not None else row


def _bytes(text: str, unit: str) -> float:
    prefix = unit.removesuffix("B")
    # vnStat's default unit is KiB. Its KB setting means the same; its kB setting means 1000 bytes.
    base = 1000.0 if prefix == "k" else 1024.0
    return (number_of(text) or 0.0) * base ** _POWERS[prefix[:1]]


def _rate(text: str, unit: str) -> float:
    """Convert a printed rate to MB/s."""
    what = unit.removesuffix("/s")
    if what.endswith("bit"):
        prefix = what.removesuffix("bit")
        base = 1024.0 if prefix.endswith("i") else 1000.0
        return (number_of(text) or 0.0) * base ** _POWERS[prefix[:1]] / 8 / 1e6
    return _bytes(text, what) / 1e6


read = _Reader.read
