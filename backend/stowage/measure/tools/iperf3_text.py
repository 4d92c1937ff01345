"""Reader of the text output of iperf3's clients and servers.

Each line may have a title or a time before it. Summary rows end in `sender` or `receiver`, but summary rows of UDP
before version 3.2 have neither word. Rows go to standard output and errors to standard error. So an error may precede
the run to which it belongs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from stowage.measure.files.documents import Text
from stowage.measure.files.printed import BITS, Printed, iperf_factor, value_of
from stowage.measure.files.spans import Recording
from stowage.measure.reading import Reading, Remark, Status
from stowage.measure.tools import network_runs

_ROW = re.compile(
    r"\[ *(?P<id>\d{1,6}|SUM)\](?:\[(?P<role>[TR]X-[CS])\])? +(?P<start>\d+\.\d+)-(?P<end>\d+\.\d+) +sec +"
    r"(?P<moved>[\d.]+) (?P<moved_unit>[KMGT]?Bytes|[KMGT]?bits) +"
    r"(?P<rate>[\d.]+) (?P<rate_unit>[KMGT]?(?:bits|Bytes)/sec)"
    r"(?P<rest>(?: .*)?)\Z"
)
_HEADER = re.compile(r"\[ ID\](?:\[Role\])? +Interval +Transfer +(?:Bitrate|Bandwidth)")
_CONNECTING = re.compile(r"Connecting to host (?P<host>[^,]{1,255}), port (?P<port>\d{1,5})")
_ACCEPTED = re.compile(r"Accepted connection from (?P<host>\S{1,255}), port \d{1,5}")
_CONNECTED = re.compile(
    r"\[ *\d{1,6}\] local (\S{1,255}) port \d{1,5} connected (?:to|with) (?P<host>\S{1,255}) port \d"
)
_ERROR = re.compile(r"iperf3: (?:(?:error|interrupt) - )?(?P<words>.+)\Z")
_TEST = re.compile(
    r"Starting Test: protocol: (?P<protocol>\w+), (?P<num_streams>\d+) streams?, (?P<blksize>\d+) byte blocks, "
    r"omitting (?P<omit>\d+) seconds?"
)
_VERSION = re.compile(r"iperf 3\.\S{1,20}(?: \(.*\))?\Z")
_SYSTEM = re.compile(r"(?:Linux|Darwin|FreeBSD) (?P<name>\S{1,200}) (?P<kernel>\S{1,200}) ")
_DATAGRAMS = re.compile(
    r"(?<![\d.])(?P<jitter>[\d.]++) ms +(?P<lost>-?\d+)/(?P<all>\d+) \((?P<percent>[\d.e+-]+|-?nan)%\)"
)
_RETRANSMITS = re.compile(r" +(?P<count>\d+)(?: |\Z)")
_BESIDE = re.compile(
    r"(- ){5,}|-{10,}|\[ ID\]|Server listening on |Reverse mode, |Control connection |Time: |\sCookie: |\sTCP MSS: |"
    r"Test Complete\.|CPU Utilization|(snd|rcv)_tcp_congestion|Server output:|WARNING:|warning:|Linger |Nagle|"
    r"\[ *\d+\] Sent \d+ datagrams|\[ *\d+\] +\d.{0,200} out-of-order|TCP window|UDP MSS|Target Bitrate|"
    r"[Cc]lient closed|(local|remote) "
)
_BODY = re.compile(
    r"Connecting to host |Accepted connection from |\[ *(?:\d{1,6}|SUM|ID)\]|iperf Done\.|iperf3: |(?:- ){5}|-{10}"
)


def is_text_of_iperf3(text: str) -> bool:
    """Return whether a text contains lines that only iperf3 writes."""
    return bool(
        ("iperf3: " in text and re.search(r"^(?:.{0,80}\s)?iperf3: \S", text, re.MULTILINE))
        or (
            " sec " in text
            and re.search(r"\[ *(\d+|SUM)\](\[[TR]X-[CS]\])? +\d+\.\d\d-\d+\.\d\d +sec ", text)
            and re.search(
                r"Connecting to host |Accepted connection |\d (sender|receiver)\s*$|^iperf 3\.", text, re.MULTILINE
            )
        )
        or (
            "Connecting to host " in text
            and re.search(r"^(?:.{0,80}\s)?Connecting to host \S+, port \d+\s*$", text, re.MULTILINE)
        )
    )  # fmt: skip


@dataclass(slots=True)
class _Run:
    line: int
    client: bool
    host: str = ""
    back: bool = False
    streams: int = 0
    udp: bool = False
    in_summary: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    rows: dict[tuple[str, str, bool], re.Match[str]] = field(default_factory=dict)
    recordings: dict[str, Recording] = field(default_factory=dict)

    def several(self, role: str) -> bool:
        """Return whether the run has several streams.

        Then a line with the sum of the streams is expected.
        """
        return self.streams > (2 if role else 1)


class TextRuns:
    """Reader of the runs in a text, line by line."""

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._error: tuple[int, str] | None = None
        self._version: str | None = None
        self._machine: tuple[str | None, str | None] = (None, None)
        self._dashes = False
        self._prefix = 0

    def take(self, line: Text) -> Iterator[Reading | Remark]:
        """Process the next line."""
        body = _BODY.search(line.text[:400])
        text = line.text[body.start() :] if body else line.text
        if body:
            self._prefix = body.start()
        dashes, self._dashes = self._dashes, text.startswith("- - -")
        if found := _CONNECTING.match(text):
            yield from self._close("the next run begins before its result")
            self._run = _Run(line.line, client=True, host=found["host"])
        elif found := _ACCEPTED.match(text):
            yield from self._close(None)
            self._run = _Run(line.line, client=False, host=found["host"])
        elif text.startswith("iperf Done."):
            yield from self._done(line)
        elif found := _ERROR.match(text):
            yield from self._failed(line, found["words"])
        elif text.startswith("-----"):
            if self._run is not None and not self._run.client:
                yield from self._close(None)
        elif _HEADER.match(text):
            self._header(line, dashes=dashes)
        elif found := _ROW.match(text.rstrip()):
            yield from self._row(line, found)
        else:
            yield from self._other(line, text)

    def end(self, *, cut: bool) -> Iterator[Reading | Remark]:
        """Yield the results of the run in progress."""
        words = "the file ends before the end of the run"
        yield from self._close(words if cut or (self._run is not None and self._run.client) else None)
        yield from self._lone_error()

    def _done(self, line: Text) -> Iterator[Reading | Remark]:
        if self._run is None:
            yield Remark(line.line, "'iperf Done.' is not part of a run")
            return
        run, self._run = self._run, None
        yield from self._lone_error()
        yield from self._readings(run, None)

    def _failed(self, line: Text, words: str) -> Iterator[Reading | Remark]:
        if self._run is None or (not self._run.client and self._run.rows):
            yield from self._close(None)
            yield from self._lone_error()
            self._error = (line.line, words)
        else:
            self._error = self._error or (line.line, words)

    def _lone_error(self) -> Iterator[Reading]:
        """Yield a failed result for an error without any other output of its run."""
        if self._error is not None:
            number, words = self._error
            self._error = None
            yield Reading("iperf3", self._version, "failed", words[:500], "iperf3", number, ())

    def _header(self, line: Text, *, dashes: bool) -> None:
        if self._run is None:
            self._run = _Run(line.line, client=True)
        self._run.in_summary = dashes or self._run.in_summary
        self._run.udp = self._run.udp or "Datagrams" in line.text
        if not self._run.client and ("Retr" in line.text or "Total Datagrams" in line.text):
            # Columns of a sender; no other line of a server's output shows its direction.
            self._run.back = True

    def _row(self, line: Text, row: re.Match[str]) -> Iterator[Remark]:
        run = self._run
        factor = iperf_factor(row["rate_unit"])
        start, end = value_of(row["start"]), value_of(row["end"])
        if run is None or factor is None or start is None or end is None or value_of(row["rate"]) is None:
            yield Remark(line.line, f"{line.text.strip()[:80]!r} is not part of a run")
            return
        words = row["rest"].split()
        role = row["role"] or ""
        whose = words[-1] if words and words[-1] in {"sender", "receiver"} else ""
        run.in_summary = run.in_summary or bool(whose)
        here = role.startswith("RX") if role else run.back == run.client
        if run.in_summary:
            run.rows[role, row["id"], whose == "receiver" or (not whose and here)] = row
        elif "(omitted)" not in words and (row["id"] == "SUM" or not run.several(role)):
            rate = value_of(row["rate"], factor)
            name = "network_mb_per_s" if here else "network_sent_mb_per_s"
            run.recordings.setdefault(role, Recording()).add(name, "", (start, end), rate or 0.0)

    def _other(self, line: Text, text: str) -> Iterator[Remark]:
        run = self._run
        if found := _CONNECTED.match(text):
            if run is None:
                run = self._run = _Run(line.line, client=True, host=found["host"])
            run.streams += 1
        elif found := _TEST.search(line.text):
            if run is not None:
                run.settings.update({key: value for key, value in found.groupdict().items() if value})
        elif "Reverse mode, remote host" in text:
            if run is not None:
                run.back = True
        elif _VERSION.match(text.strip()):
            self._version = text.strip()[:60]
        elif found := _SYSTEM.match(text):
            self._machine = found["name"], found["kernel"]
        elif len(text.strip()) > self._prefix and not _BESIDE.search(text[:200]):
            yield Remark(line.line, f"{text.strip()[:80]!r} stands where a line of iperf3 was expected")

    def _close(self, problem: str | None) -> Iterator[Reading | Remark]:
        run, self._run = self._run, None
        if run is None:
            return
        error, self._error = self._error, None
        if error is not None:
            yield from self._readings(run, error[1], failed=True)
        else:
            yield from self._readings(run, problem)

    def _readings(self, run: _Run, problem: str | None, *, failed: bool = False) -> Iterator[Reading]:
        roles = sorted({role for role, _, _ in run.rows}, reverse=True) or [""]
        for role in roles:
            yield self._reading(run, role, problem, failed=failed)

    def _reading(self, run: _Run, role: str, problem: str | None, *, failed: bool) -> Reading:
        printed = Printed()
        duration: float | None = None
        for received in (True, False):
            ids = [row_id for row_role, row_id, end in run.rows if row_role == role and end == received]
            wanted = "SUM" if run.several(role) or "SUM" in ids else (ids[0] if len(ids) == 1 else None)
            row = run.rows.get((role, wanted, received)) if wanted else None
            if row is None:
                continue
            _figures(printed, row, received=received)
            duration = duration or value_of(row["end"])
        back = run.back if not role else role in {"RX-C", "TX-S"}
        direction = network_runs.direction_of(back=back)
        protocol = run.settings.get("protocol") or ("UDP" if run.udp else "TCP")
        streams = str(max(run.streams // (2 if role else 1), 1))
        settings = {
            **run.settings,
            "protocol": protocol,
            "num_streams": run.settings.get("num_streams", streams),
            "direction": direction,
        }
        if run.host:
            settings["connecting_to" if run.client else "accepted_connection"] = run.host
        return network_runs.network_reading(
            "iperf3",
            printed,
            network_runs.run_name(protocol, streams, direction),
            run.line,
            _outcome(printed, problem, failed=failed),
            peer=run.host,
            machine=self._machine,
            tool_version=self._version,
            settings=settings,
            duration_s=duration,
            series=run.recordings[role].series(None, 0.0) if role in run.recordings else (),
        )


def _figures(printed: Printed, row: re.Match[str], *, received: bool) -> None:
    moved = value_of(row["moved"])
    if not moved:
        # An end without data from the other end writes 0.00 Bytes.
        return
    name = "network_mb_per_s" if received else "network_sent_mb_per_s"
    which = "receiver" if received else "sender"
    printed.add(name, row["rate"], row["rate_unit"], f"Bitrate, {which}", iperf_factor(row["rate_unit"]) or BITS)
    if datagrams := _DATAGRAMS.search(row["rest"]):
        if not row["rest"].rstrip().endswith("sender"):
            network_runs.add_datagrams(printed, datagrams)
    elif not received and (count := _RETRANSMITS.match(row["rest"])):
        printed.add("network_retransmits", count["count"], "", "Retr")


def _outcome(printed: Printed, problem: str | None, *, failed: bool) -> tuple[Status, str | None]:
    if failed:
        return "failed", (problem or "")[:500] or "an error without a message"
    return printed.outcome(problem, network_runs.nothing_moved(printed))
