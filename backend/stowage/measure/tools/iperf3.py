"""Reader of iperf3's output as JSON, JSON events or text.

A file may have one or more JSON documents (`-J`), events (`--json-stream`) or text, or a mix of them.

`network_mb_per_s` is the rate counted by the receiving end, `network_sent_mb_per_s` the rate at which the sending end
wrote to its kernel. They differ by the data in flight, and for UDP by the lost datagrams. A bidirectional run is two
results. The rates of the intervals are stored as a series, without the intervals that iperf3 omits (`-O`).

A client's run is complete if it says so: `iperf Done.` in text, a document without `error` in JSON.

Tested with: JSON and text of 3.12, run for this project over loopback; JSON of 3.0 to 3.9 (no `sender`, UDP with one
sum), JSON of 3.16 to 3.19 and events in the shapes shown in the tool's issue tracker. Not tested with: SCTP.

**Source** iperf 3.12, `iperf_api.c`, `iperf_locale.c`; https://github.com/esnet/iperf/pull/1098 (events), 2021-01-03.
"""

import re
from collections.abc import Iterator

from stowage.measure.files.clocks import time_of_number
from stowage.measure.files.documents import Doubled, Ended, Piece, Started, Text
from stowage.measure.files.head import Head
from stowage.measure.files.printed import BITS, MILLISECONDS, PERCENT, Printed
from stowage.measure.files.reader import DocumentReader, stands_twice, within_a_document
from stowage.measure.files.spans import Recording
from stowage.measure.files.values import Value, float_at, number_at, text_at, value_at, written
from stowage.measure.reading import Reading, Remark, Status
from stowage.measure.tools import network_runs
from stowage.measure.tools.iperf3_text import TextRuns, is_text_of_iperf3

_KNOWN_TWICE = frozenset({"sock_bufsize", "sndbuf_actual", "rcvbuf_actual", "socket"})
"""Keys that iperf3 repeats in one object, once per stream."""
_SETTINGS = (
    "protocol", "num_streams", "blksize", "omit", "duration", "bytes", "blocks", "reverse", "bidir", "tos",
    "target_bitrate",
)  # fmt: skip
_LONGEST_S = 1e9
_FASTEST = 1e18
"""Largest valid network rate [bit/s]; a damaged file may have larger numbers."""


def recognises(head: Head) -> bool:
    """Return whether a file is output of iperf3."""
    if {"start", "end"} <= {*head.keys} and ({"intervals", "error"} & {*head.keys} or '"test_start"' in head.text):
        return True
    if {"start", "intervals"} <= {*head.keys} and '"version"' in head.text and '"iperf 3' in head.text:
        return True
    if head.keys[:2] == ("event", "data") and re.search(r'"event":\s*"(start|interval|end|error)"', head.text):
        return True
    return is_text_of_iperf3(head.text)


class _Reader(DocumentReader[Reading]):
    """Reader of JSON documents, of events in lines of JSON, and of the text around them."""

    opened = frozenset({("intervals",)})

    def __init__(self) -> None:
        self._texts = TextRuns()
        self._open = False
        self._run: _Run | None = None
        self._event: str | None = None
        # Whether the document is a list: `jq -s` makes such lists of several documents.
        self._in_list = False

    def text(self, line: Text) -> Iterator[Reading | Remark]:
        """Process a line of text."""
        if self._open:
            yield within_a_document(line)
        else:
            yield from self._texts.take(line)

    def started(self, _started: Started) -> tuple[()]:
        """Process the beginning of a document."""
        self._open, self._in_list, self._event = True, False, None
        return ()

    def doubled(self, doubled: Doubled) -> Iterator[Remark]:
        """Process a key that stands twice in an object."""
        if doubled.key not in _KNOWN_TWICE:
            yield stands_twice(doubled)

    def piece(self, piece: Piece) -> Iterator[Reading]:
        """Process one value of a document."""
        if piece.path == ("event",):
            self._event = piece.value if isinstance(piece.value, str) else None
            if self._event == "start":
                yield from self._close("the next run begins before its result")
        elif piece.path and isinstance(piece.path[0], int):
            self._in_list = True
            listed = _Run(piece.line)
            for key, value in piece.value.items() if isinstance(piece.value, dict) else ():
                members = value if key == "intervals" and isinstance(value, list) else None
                for each in [value] if members is None else members:
                    listed.take(key if members is None else "interval", each)
            yield from listed.readings(None)
        else:
            self._run = self._run or _Run(piece.line)
            if self._event is None and piece.path:
                self._run.take("interval" if len(piece.path) > 1 else str(piece.path[0]), piece.value)
            elif self._event is not None and piece.path == ("data",):
                self._run.take(self._event, piece.value)

    def ended(self, found: Ended) -> Iterator[Reading | Remark]:
        """Process the end of a document."""
        self._open = False
        if self._run is None:
            words = f"The JSON is invalid: {found.problem}" if found.problem else "An empty JSON document is no run"
            if found.problem or not self._in_list:
                yield Remark(found.line, words)
        elif found.problem or self._event is None or self._event == "end":
            yield from self._close(f"The JSON is invalid: {found.problem}" if found.problem else None)

    def end(self, *, cut: bool) -> Iterator[Reading | Remark]:
        """Process the end of the file."""
        yield from self._close("the file ends before a result")
        yield from self._texts.end(cut=cut)

    def _close(self, problem: str | None) -> Iterator[Reading]:
        run, self._run = self._run, None
        if run is not None:
            yield from run.readings(problem)


class _Run:
    """One run of iperf3.

    It is a JSON document, or the JSON events from a start event to an end event.
    """

    def __init__(self, line: int) -> None:
        self._line = line
        self._start: Value = None
        self._end: Value = None
        self._error: str | None = None
        self._title: str | None = None
        self._recordings = {"sum": Recording(), "sum_bidir_reverse": Recording()}

    def take(self, name: str, value: Value) -> None:
        """Process a member of a document, or the data of an event."""
        if name == "start":
            self._start = value
        elif name == "interval":
            self._interval(value)
        elif name == "end":
            self._end = value
        elif name == "error":
            self._error = value if isinstance(value, str) else "an error without a message"
        elif name == "title" and isinstance(value, str):
            self._title = value[:200]

    def _interval(self, interval: Value) -> None:
        for key, recording in self._recordings.items():
            total = value_at(interval, key)
            if not isinstance(total, dict):
                continue
            start, end, rate = float_at(total, "start"), float_at(total, "end"), float_at(total, "bits_per_second")
            if start is None or end is None or rate is None or value_at(total, "omitted") is True:
                continue
            if not 0 <= start < end <= _LONGEST_S or not 0 <= rate <= _FASTEST:
                continue
            received = value_at(total, "sender") is False or (value_at(total, "sender") is None and self._reverse())
            name = "network_mb_per_s" if received else "network_sent_mb_per_s"
            recording.add(name, "", (start, end), rate * float(BITS))

    def _reverse(self) -> bool:
        reverse = number_at(self._start, "test_start", "reverse")
        return reverse is not None and reverse.text == "1"

    def readings(self, problem: str | None) -> Iterator[Reading]:
        both = value_at(self._end, "sum_sent_bidir_reverse") is not None
        yield self._reading(problem, "", back=self._reverse() and not both)
        if both:
            yield self._reading(problem, "bidir_reverse", back=True)

    def _reading(self, problem: str | None, suffix: str, *, back: bool) -> Reading:
        printed = Printed()
        duration = self._sums(printed, suffix)
        settings = self._settings()
        settings["direction"] = network_runs.direction_of(back=back)
        started_at = time_of_number(number_at(self._start, "timestamp", "timesecs"))
        name = network_runs.run_name(
            settings.get("protocol", "iperf3"), settings.get("num_streams", "?"), settings["direction"]
        )
        return network_runs.network_reading(
            "iperf3",
            printed,
            self._title or name,
            self._line,
            self._outcome(printed, problem),
            peer=text_at(self._start, "connecting_to", "host") or text_at(self._start, "accepted_connection", "host"),
            machine=self._machine(),
            tool_version=(text_at(self._start, "version") or "")[:60] or None,
            settings=settings,
            started_at=started_at,
            duration_s=duration,
            series=self._recordings[f"sum_{suffix}" if suffix else "sum"].series(started_at, 0.0),
        )

    def _sums(self, printed: Printed, suffix: str) -> float | None:
        """Add the metrics from the totals at the end of the run.

        The result is the measured time [s].
        """
        tail = f"_{suffix}" if suffix else ""
        duration: float | None = None
        only = value_at(self._end, f"sum{tail}")
        received = value_at(self._end, f"sum_received{tail}")
        sent = value_at(self._end, f"sum_sent{tail}")
        if received is None and sent is None and only is not None:
            # UDP before 3.10 has one sum, counted by the end that wrote the file.
            sender = value_at(only, "sender")
            if sender is False or (sender is None and self._reverse()):
                received = only
            else:
                sent = only
        for total, name in ((received, "network_mb_per_s"), (sent, "network_sent_mb_per_s")):
            moved = float_at(total, "bytes")
            if not moved:
                # An end without data from the other end writes 0.
                continue
            which = f"sum_{'received' if name == 'network_mb_per_s' else 'sent'}{tail}.bits_per_second"
            printed.add(name, number_at(total, "bits_per_second"), "bits/s", which, BITS)
            duration = duration or float_at(total, "seconds")
        printed.add("network_retransmits", number_at(sent, "retransmits"), "", "retransmits")
        lost_of = received if number_at(received, "lost_percent") else only
        if number_at(lost_of, "packets"):
            printed.add("network_jitter_us", number_at(lost_of, "jitter_ms"), "ms", "jitter_ms", MILLISECONDS)
            printed.add("network_lost_share", number_at(lost_of, "lost_percent"), "%", "lost_percent", PERCENT)
        self._round_trips(printed)
        return duration

    def _round_trips(self, printed: Printed) -> None:
        streams = value_at(self._end, "streams")
        if not isinstance(streams, list) or len(streams) != 1:
            return
        for statistic in ("mean", "min", "max"):
            time = number_at(streams[0], "sender", f"{statistic}_rtt")
            if time is not None and time.value:
                printed.add(f"network_latency_us.{statistic}", time, "us", f"{statistic}_rtt")

    def _outcome(self, printed: Printed, problem: str | None) -> tuple[Status, str | None]:
        if self._error is not None:
            return "failed", self._error[:500] or "an error without a message"
        status, failure = printed.outcome(problem, network_runs.nothing_moved(printed))
        is_client = value_at(self._start, "connecting_to") is not None
        unreceived = value_at(self._end, "sum_received") is not None and "network_mb_per_s" not in printed
        if status == "ok" and is_client and unreceived:
            return "partial", "The receiving end reported no received bytes"
        return status, failure

    def _settings(self) -> dict[str, str]:
        options = value_at(self._start, "test_start")
        said = {key: written(options, key) for key in _SETTINGS if isinstance(options, dict) and key in options}
        settings = {key: text[:100] for key, text in said.items() if text is not None}
        for key in ("sender_tcp_congestion", "receiver_tcp_congestion"):
            if congestion := text_at(self._end, key):
                settings[key] = congestion[:100]
        if host := text_at(self._start, "connecting_to", "host"):
            settings["connecting_to"] = host[:200]
        return settings

    def _machine(self) -> tuple[str | None, str | None]:
        """Return the name and the kernel of the machine that wrote the file."""
        words = (text_at(self._start, "system_info") or "").split(None, 3)
        return (words[1][:200], words[2][:200]) if len(words) >= 3 else (None, None)


read = _Reader.read
