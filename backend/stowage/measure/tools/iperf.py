"""Reader of the output of iperf 2: text of clients and servers, and CSV (`-y C`).

A client reports what it sent, a server what it received; for UDP the client also prints the server's report. With `-i`
the rows of intervals precede the summary row, and only the summary counts. If a file is truncated before the summary,
the first interval looks like a summary. A row with four decimals that ends at a full second is taken for an interval,
since no summary has such an end. In CSV, a row is also taken for an interval if it is the only row and covers at most a
second.

CSV has neither direction nor version: the end with the larger port is taken for the client. A row does not show the
number of streams, so the row of one of two streams looks like that of a single stream.

Tested with: text and CSV of 2.1.8, run for this project over loopback; text of 2.0 (one decimal) from published runs.
Not tested with: CSV of 2.2 and later, which has other columns; multicast, `--trip-times`, histograms, `--bounceback`.

**Source** iperf 2.1.8, `ReportOutputs.c`, `Locale.c`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from stowage.measure.files.clocks import UNKNOWN_ZONE
from stowage.measure.files.compiled import plain_number, product
from stowage.measure.files.head import Head
from stowage.measure.files.printed import BITS, MILLISECONDS, PERCENT, Printed, iperf_factor, value_of
from stowage.measure.files.reader import LineReader
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.spans import Recording
from stowage.measure.files.text import Line
from stowage.measure.reading import Reading, Remark, Status
from stowage.measure.tools import network_runs

_CLIENT = re.compile(r"Client connecting to (?P<host>[^,\s]{1,255}), (?P<protocol>TCP|UDP) port (?P<port>\d{1,5})")
_SERVER = re.compile(r"Server listening on (?P<protocol>TCP|UDP) port (?P<port>\d{1,5})")
_CONNECTED = re.compile(
    r"\[ *(?P<id>\*?\d{1,6})\] local (?P<local>\S{1,255}) port (?P<local_port>\d{1,5}) connected with "
    r"(?P<host>\S{1,255}) port (?P<port>\d{1,5})"
)
_ROW = re.compile(
    r"\[ *(?P<id>\*?\d{1,6}|SUM(?:-\d+)?)\] +(?P<start>\d+\.\d+)- ?(?P<end>\d+\.\d+) sec +"
    r"(?P<moved>[\d.]+) (?P<moved_unit>[KMGT]?Bytes?|[KMGT]?bits) +"
    r"(?P<rate>[\d.]+) (?P<rate_unit>[KMGT]?(?:bits|Bytes)/sec)(?P<rest>.*)\Z"
)
SHAPE = Shape(
    r"-{10,}\nClient connecting to (?P<host>[^,\s]{1,255}), (?P<protocol>TCP|UDP) port \d{1,5}\n"
    r"TCP window size: +[\d.]+ [KMG]?Byte \(default\)\n-{10,}\n"
    r"\[ *(?P<id>\*?\d{1,6})\] local \S{1,255} port (?P<local_port>\d{1,5}) connected with "
    r"\S{1,255} port (?P<port>\d{1,5})[^\n]*\n\[ ID\] Interval +Transfer +Bandwidth\n"
    r"(?:\[ *(\*?\d{1,6})\] +(\d+\.\d+)- ?(\d+\.\d+) sec +([\d.]+) (?:[KMGT]?Bytes?|[KMGT]?bits) +"
    r"([\d.]+) ([KMGT]?(?:bits|Bytes)/sec)\n)+"
)
"""A whole run of a client with one connection."""
_GET = SHAPE.getter("host", "protocol", "id", "local_port", "port")
_DATAGRAMS = re.compile(r"(?<![\d.])(?P<jitter>[\d.]++) ms +(?P<lost>\d+)/ *(?P<all>\d+) \((?P<percent>[\d.e+-]+)%\)")
_REPORT = re.compile(r"\[ *\*?\d{1,6}\] Server Report:")
_ERROR = re.compile(
    r"(?:.{0,40}(?:connect|bind|read|write|recv|send|listen|socket|accept) failed: .{1,200}|error: .{1,200}|"
    r"iperf: .{1,200}|unable to .{1,200}|.{0,80}did not receive ack of last datagram.{0,80})\Z"
)
_BESIDE = re.compile(
    r"-{10,}|\[ ID\]|TCP window size|UDP buffer size|Write buffer size|Read buffer size|TOS |iperf version 2|"
    r"(Sending|Receiving) \d+ byte datagrams|\[ *\*?\d+\] Sent \d+ datagrams|Binding to |Multicast |\(c=client|"
    r"\[ *\*?\d+\] .*(out-of-order|Connect time|Clock sync|Congestion)|TCP congestion|Setting |Enabled |WARN|"
    r"[ \t]*\^C|Waiting for server threads|Burst |MSS |\[SUM\] .*datagrams|Reading from|Listening|Delay|Isochronous|"
    r"\[ *Client"
)
# Lines around the results, none of which is an error or CSV.
_OF_EVERY_RUN = re.compile(
    r"-{10,}\Z|\[ ID\] Interval +Transfer +Bandwidth\Z|TCP window size: +[\d.]+ [KMG]?Byte \(default\)\Z"
)
_CSV = re.compile(
    r"(?P<date>\d{14})(?:\.\d{1,6})?,(?P<local>[^,]{0,60}),(?P<local_port>\d{1,5}),(?P<host>[^,]{0,60}),"
    r"(?P<port>\d{1,5}),(?P<id>-?\d{1,9}),(?P<start>\d+\.\d+)-(?P<end>\d+\.\d+),"
    r"(?P<moved>-?\d{1,30}),(?P<rate>-?\d{1,30})"
    r"(?:,(?P<jitter>-?[\d.]+),(?P<lost>-?\d+),(?P<all>-?\d+),(?P<percent>-?[\d.]+|-?nan),(?P<order>-?\d+))?\s*\Z"
)
_BEGINNING = re.compile(
    r"^(Client connecting to [^,\n]+, (TCP|UDP) port|Server listening on (TCP|UDP) port) \d", re.MULTILINE
)


def recognises(head: Head) -> bool:
    """Return whether a file is output of iperf 2."""
    return bool(_BEGINNING.search(head.text) or _CSV.match(head.text.split("\n", 1)[0].rstrip("\r")))


_Row: TypeAlias = Mapping[str, Any]
"""Texts of a row by the names of the groups of its pattern."""


@dataclass(slots=True)
class _Run:
    """One run of iperf 2: the connections that began together."""

    line: int
    client: bool
    protocol: str = "TCP"
    host: str = ""
    form: str = "text"
    started_at: datetime | None = None
    ids: set[str] = field(default_factory=set)
    rows: dict[str, _Row] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    ends: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    report: _Row | None = None
    error: str | None = None


class _Runs(LineReader[Reading]):
    """Reader of the runs in a file, line by line."""

    shape = SHAPE

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._client = True
        self._protocol = "TCP"
        self._error: tuple[int, str] | None = None
        self._report = False

    def take(self, line: Line) -> Iterable[Reading | Remark]:
        """Process the next line."""
        text = line.text.strip()
        if text.startswith("["):
            if found := _ROW.match(text):
                return self._row(line, found)
            if found := _CONNECTED.match(text):
                return self._connected(line, found)
        elif found := _CLIENT.match(text):
            return self._begin(_Run(line.number, client=True, protocol=found["protocol"], host=found["host"]))
        elif found := _SERVER.match(text):
            self._client, self._protocol = False, found["protocol"]
            return self._close()
        if not text or _OF_EVERY_RUN.match(text):
            return ()
        return self._other(line, text)

    def take_block(self, block: Block) -> Iterable[Reading | Remark]:
        """Process a whole run; line by line if a figure in it is unusual."""
        host, protocol, connection, local_port, port = _GET(block.fields)
        run = _Run(block.line + 1, client=True, protocol=protocol, host=host)
        if port != "0" and local_port != "0":
            run.ids.add(connection)
        texts = iter(block.rows)
        for flow, start_text, end_text, moved, rate_text, unit in zip(*[texts] * 6, strict=True):
            factor = _factor(unit)
            start, end = plain_number(start_text), plain_number(end_text)
            rate = None if factor is None else product(rate_text, factor)
            if start is None or end is None or rate is None:
                return super().take_block(block)
            row = {"end": end_text, "moved": moved, "rate": rate_text, "rate_unit": unit, "rest": ""}
            _place(run, flow, row, (start, end, rate))
        return self._begin(run)

    def _begin(self, run: _Run) -> Iterable[Reading]:
        """Begin the run of a client; return the results before it."""
        ended = self._close()
        self._client, self._protocol, self._run = True, run.protocol, run
        return ended

    def _other(self, line: Line, text: str) -> Iterator[Reading | Remark]:
        if _REPORT.match(text):
            self._report = True
        elif _is_error(text):
            if self._run is None:
                yield from self._lone_error()
                self._error = (line.number, text[:300])
            else:
                self._run.error = self._run.error or text[:300]
        elif found := _CSV.match(text):
            yield from self._csv(line, found)
        elif not _BESIDE.match(text):
            yield Remark(line.number, f"{text[:80]!r} stands where a line of iperf was expected")

    def _connected(self, line: Line, found: re.Match[str]) -> Iterable[Reading]:
        run = self._run
        ended: Iterable[Reading] = ()
        if run is None or run.rows or run.form != "text":
            ended = self._close()
            run = self._run = _Run(line.number, client=self._client, protocol=self._protocol, host=found["host"])
        if found["port"] != "0" and found["local_port"] != "0":
            run.ids.add(found["id"])
        return ended

    def _row(self, line: Line, found: re.Match[str]) -> Iterable[Remark]:
        run = self._run
        row_id, start_text, end_text, _, _, rate_text, unit, _ = found.groups()
        factor = _factor(unit)
        start, end = value_of(start_text), value_of(end_text)
        rate = value_of(rate_text, factor) if factor is not None else None
        if run is None or run.form != "text" or start is None or end is None or rate is None:
            return (Remark(line.number, f"{line.text.strip()[:80]!r} is not part of a run"),)
        if self._report:
            run.report, self._report = found.groupdict(), False
        else:
            _place(run, row_id, found.groupdict(), (start, end, rate))
        return ()

    def _csv(self, line: Line, found: re.Match[str]) -> Iterator[Reading]:
        run = self._run
        client = int(found["local_port"]) > int(found["port"])
        flow = f"{found['local_port']}-{found['port']}"
        if run is None or run.form != "csv" or run.client != client or _begins_again(run, flow, found):
            yield from self._close()
            run = self._run = _Run(line.number, client=client, host=found["host"], form="csv")
            run.started_at = _date(found["date"])
        start, end, rate = value_of(found["start"]), value_of(found["end"]), value_of(found["rate"], BITS)
        if start is None or end is None or rate is None:
            return
        run.protocol = "UDP" if found["all"] is not None else "TCP"
        summed = found["id"] == "-1"
        if not summed:
            run.ids.add(flow)
        _place(run, "SUM" if summed else flow, found.groupdict(), (start, end, rate))

    def end(self, *, cut: bool) -> Iterator[Reading]:
        """Yield the result of the run in progress."""
        yield from self._close(cut=cut)
        yield from self._lone_error()

    def _lone_error(self) -> Iterable[Reading]:
        if self._error is None:
            return ()
        (number, words), self._error = self._error, None
        return (Reading("iperf", None, "failed", words, "iperf", number, ()),)

    def _close(self, *, cut: bool = False) -> Iterable[Reading]:
        run, self._run = self._run, None
        self._report = False
        return () if run is None else (*self._lone_error(), _reading(run, cut=cut))


_factor = lru_cache(maxsize=100)(iperf_factor)


def _is_error(text: str) -> bool:
    # Most lines have no word that an error has: the pattern is slow to find that out.
    may_be = "failed: " in text or "ack of last" in text or text.startswith(("error: ", "iperf: ", "unable to "))
    return may_be and bool(_ERROR.match(text))


def _begins_again(run: _Run, flow: str, row: re.Match[str]) -> bool:
    """Return whether a row begins another run.

    It does if it begins at 0 and follows the summary row of the same flow.
    """
    if row["start"].strip("0.") or flow not in run.rows:
        return False
    return float(run.rows[flow]["end"]) >= run.ends[flow] and (
        run.counts[flow] > 1 or row["end"] != run.rows[flow]["end"]
    )


def _place(run: _Run, flow: str, row: _Row, span: tuple[float, float, float]) -> None:
    """Store a row of a flow as its summary or as an interval.

    The latest row that begins at 0 is the summary.
    """
    start, end, _ = span
    if start == 0 and flow not in run.rows:
        run.rows[flow] = row
        run.intervals[flow] = [span]
    elif start == 0:
        run.rows[flow] = row
    elif flow in run.intervals or flow in run.rows:
        run.intervals.setdefault(flow, []).append(span)
    run.counts[flow] = run.counts.get(flow, 0) + 1
    run.ends[flow] = max(end, run.ends.get(flow, 0.0))


def _whole(run: _Run, flow: str) -> bool:
    """Return whether the stored summary row of a flow really is a summary.

    If the file is truncated, it may be the row of an interval.
    """
    row = run.rows[flow]
    end = float(row["end"])
    if end < run.ends[flow] - 0.5 or end == 0:
        return False
    if run.counts[flow] > 1:
        return len(run.intervals.get(flow, ())) < run.counts[flow]
    decimals = row["end"].partition(".")[2]
    return decimals.strip("0") != "" if len(decimals) >= 4 else run.form == "text" or end > 1.0


def _reading(run: _Run, *, cut: bool) -> Reading:
    printed = Printed()
    several = len(run.ids) > 1
    flow = "SUM" if "SUM" in run.rows else (next(iter(run.rows), None) if len(run.rows) == 1 and not several else None)
    back = {row_id for row_id in run.ids if row_id.startswith("*")}
    problem = run.error
    duration: float | None = None
    received = not run.client
    recording = Recording()
    parts = len(run.rows) - ("SUM" in run.rows)
    if back and back != run.ids:
        problem = problem or "Both directions are summed in one line: run them one after the other"
        flow = None
    elif back:
        received = run.client
    name = "network_mb_per_s" if received else "network_sent_mb_per_s"
    if flow is not None and _whole(run, flow):
        row = run.rows[flow]
        _figures(printed, row, run.form, name)
        duration = value_of(row["end"])
        if run.counts[flow] > 1:
            for start, end, rate in run.intervals.get(flow, ()):
                recording.add(name, "", (start, end), rate)
    elif several and run.form == "csv" and parts == len(run.ids) and all(_whole(run, i) for i in run.rows):
        # CSV of 2.1 has no sum of all streams; the reader reports that instead of adding them up.
        problem = problem or f"{parts} streams, and no line of all together: run it with text, or one stream"
    else:
        problem = problem or "It ends before its summary"
    if run.report is not None:
        _figures(printed, run.report, "text", "network_mb_per_s")
    notes = ["The end with the larger port is taken for the client"] if run.form == "csv" else []
    if run.started_at is not None:
        notes.append(UNKNOWN_ZONE)
    streams = str(max(len(run.ids), 1))
    direction = network_runs.direction_of(back=received == run.client)
    return network_runs.network_reading(
        "iperf",
        printed,
        network_runs.run_name(run.protocol, streams, direction),
        run.line,
        _outcome(printed, problem, error=run.error, cut=cut),
        peer=run.host,
        settings={"protocol": run.protocol, "num_streams": streams, "direction": direction, "peer": run.host},
        started_at=run.started_at,
        duration_s=duration,
        series=recording.series(run.started_at, 0.0),
        notes=notes,
    )


def _figures(printed: Printed, row: _Row, form: str, name: str) -> None:
    if not value_of(row["moved"]):
        return
    if form == "csv":
        printed.add(name, row["rate"], "bits/sec", "bits per second", BITS)
        if row["all"] is not None and int(row["all"]) > 0:
            printed.add("network_jitter_us", row["jitter"], "ms", "jitter", MILLISECONDS)
            printed.add("network_lost_share", row["percent"], "%", "lost percent", PERCENT)
        return
    printed.add(name, row["rate"], row["rate_unit"], "Bandwidth", _factor(row["rate_unit"]) or Decimal(0))
    if datagrams := _DATAGRAMS.search(row["rest"]):
        network_runs.add_datagrams(printed, datagrams)


def _outcome(printed: Printed, problem: str | None, *, error: str | None, cut: bool) -> tuple[Status, str | None]:
    if error is not None and "ack of last datagram" not in error:
        return "failed", error
    lack = network_runs.nothing_moved(printed)
    if cut and lack is None:
        problem = problem or "The file ends in the middle of a line"
    return printed.outcome(problem, lack)


def _date(text: str) -> datetime | None:
    """Parse a date of CSV output; None if iperf did not know the date.

    iperf 2.1 writes 1970 in this case.
    """
    try:
        found = datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.year > 1970 else None


read = _Runs.read
