"""Detection of the tool that wrote a file.

The beginning of the file determines the tool, never the name of the file.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO, cast, get_args

from stowage.frozen import frozen
from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import keys_of
from stowage.measure.files.head import Head
from stowage.measure.files.text import encoding_of
from stowage.measure.logs import emr_steps, mapreduce_history, mapreduce_rest, ray_timeline, spark_events, yarn_apps
from stowage.measure.logs.logged_jobs import LoggedJob, LogKind, plausible
from stowage.measure.monitors import cloudwatch, iostat, sar, vnstat
from stowage.measure.reading import MOST_READINGS, MOST_REMARKS, Reading, Remark
from stowage.measure.tool import Tool
from stowage.measure.tools import (
    csv_template,
    diskbench,
    fio,
    iperf,
    iperf3,
    memtier,
    netbench,
    netperf,
    perfkit,
    redis_benchmark,
    sysbench,
    terasort,
    testdfsio,
)

HEAD_BYTES = 1 << 16
LOGS = (
    "an event log of Spark, a job history of MapReduce (.jhist, or JSON of the History Server), "
    "JSON of YARN's applications, a syslog or controller of an EMR step, or a timeline of Ray"
)
"""Supported logs of frameworks, for messages."""
_SENSELESS = 1_000_000  # unrecognized lines: the rest of the file is not read


@frozen
class Reader:
    """Reader of the output of one tool."""

    tool: Tool | LogKind
    recognises: Callable[[Head], bool]
    """Function that returns whether the tool wrote a file. Its argument is the beginning of the file."""
    read: Callable[[BinaryIO], Iterator[Reading | LoggedJob | Remark]]
    """Function that reads a stream, and yields results or logged jobs, and remarks."""


READERS: tuple[Reader, ...] = (
    Reader("spark", spark_events.recognises, spark_events.read),
    Reader("mapreduce", mapreduce_history.recognises, mapreduce_history.read),
    Reader("mapreduce", mapreduce_rest.recognises, mapreduce_rest.read),
    Reader("yarn", yarn_apps.recognises, yarn_apps.read),
    Reader("ray", ray_timeline.recognises, ray_timeline.read),
    Reader("diskbench", diskbench.recognises, diskbench.read),
    Reader("netbench", netbench.recognises, netbench.read),
    Reader("cloudwatch", cloudwatch.recognises, cloudwatch.read),
    Reader("iperf3", iperf3.recognises, iperf3.read),
    Reader("fio", fio.recognises, fio.read),
    Reader("memtier_benchmark", memtier.recognises, memtier.read),
    Reader("perfkit", perfkit.recognises, perfkit.read),
    Reader("sysbench", sysbench.recognises, sysbench.read),
    Reader("testdfsio", testdfsio.recognises, testdfsio.read),
    Reader("emr", emr_steps.recognises, emr_steps.read),
    Reader("terasort", terasort.recognises, terasort.read),
    Reader("redis-benchmark", redis_benchmark.recognises, redis_benchmark.read),
    Reader("netperf", netperf.recognises, netperf.read),
    Reader("iperf", iperf.recognises, iperf.read),
    Reader("iostat", iostat.recognises, iostat.read),
    Reader("sar", sar.recognises, sar.read),
    Reader("vnstat", vnstat.recognises, vnstat.read),
    Reader("csv", csv_template.recognises, csv_template.read),
)
"""Readers in the order of detection; an earlier reader does not recognize files of a later one."""


def recognise(stream: BinaryIO) -> tuple[Reader, BinaryIO]:
    """Find the reader for the format of a file.

    Parameters
    ----------
    stream : BinaryIO
        Does not have to be seekable.

    Returns
    -------
    tuple of Reader and BinaryIO
        The reader, and a stream that starts at the beginning of the file.

    Raises
    ------
    Unreadable
        No known tool wrote the file; the message names the known tools.
    """
    start = b""
    while len(start) < HEAD_BYTES and (more := stream.read(HEAD_BYTES - len(start))):
        start += more
    if not start.strip(b"\0 \t\r\n"):
        raise Unreadable(f"The file is empty; accepted is the output of {_tools()}", 1)
    text = _text_of(start)
    head = Head(text, keys_of(text), start[:64])
    for reader in READERS:
        if reader.recognises(head):
            return reader, cast("BinaryIO", _Rejoined(start, stream))
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    raise Unreadable(
        f"No tool is known that writes {first[:60]!r} at the beginning; accepted is the output of {_tools()}", 1
    )


def read(stream: BinaryIO) -> Iterator[Reading | LoggedJob | Remark]:
    """Read a file, which may be output of any known tool or a log of finished jobs.

    Parameters
    ----------
    stream : BinaryIO
        Does not have to be seekable.

    Yields
    ------
    Reading, LoggedJob or Remark
        At most `MOST_READINGS` results and jobs, and at most `MOST_REMARKS` remarks. A last remark states how many were
        skipped.

    Raises
    ------
    Unreadable
        No known tool wrote the file.
    """
    reader, whole = recognise(stream)
    readings, remarks, last_line = 0, 0, 1
    for read_one in reader.read(whole):
        found = _believed(read_one)
        last_line = found.line
        if isinstance(found, Reading | LoggedJob):
            readings += 1
            if readings > MOST_READINGS:
                what = "measurements" if isinstance(found, Reading) else "finished jobs"
                yield Remark(found.line, f"More than {MOST_READINGS:,} {what}: what follows is left out")
                return
            yield found
        else:
            remarks += 1
            if remarks < MOST_REMARKS:
                yield found
            elif remarks == _SENSELESS:
                break
    if remarks >= MOST_REMARKS:
        yield Remark(last_line, f"And {remarks - MOST_REMARKS + 1:,} more lines that were not understood")


def _believed(found: Reading | LoggedJob | Remark) -> Reading | LoggedJob | Remark:
    """Replace an implausible job with a remark.

    Otherwise the whole file would be rejected because of this job.
    """
    if isinstance(found, LoggedJob) and not plausible(found):
        return Remark(max(1, found.line), f"{found.name[:200]!a}: its times or sizes are none that a job can have")
    return found


def _tools() -> str:
    names = sorted({reader.tool for reader in READERS} - {*get_args(LogKind)})
    return f"{', '.join(names)}, or {LOGS}"


def _text_of(start: bytes) -> str:
    r"""Decode the beginning of a file in the same way as `lines_of`.

    Each line ends with ``\n``.
    """
    start, encoding = encoding_of(start)
    text = start.decode(encoding, "replace").replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class _Rejoined:
    """Stream that repeats the bytes that were already read, then continues with the rest of the file."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start = start
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes, or everything if `size` is negative."""
        if not self._start:
            return self._rest.read(size)
        if size < 0:
            taken, self._start = self._start, b""
            return taken + self._rest.read()
        taken, self._start = self._start[:size], self._start[size:]
        return taken
