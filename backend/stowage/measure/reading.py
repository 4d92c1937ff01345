"""Results of a reader: measurements as the tool reported them, and remarks about text that was not understood.

A reader parses the output of one benchmark or monitoring tool.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal

from stowage.frozen import frozen
from stowage.measure.tool import Tool

Status = Literal["ok", "partial", "failed"]
"""partial: the run ended early, or part of its output is missing. failed: the tool or its output reports a failure; the
run is stored, but its figures are never used."""


@frozen
class PrintedValue:
    """One number as the tool printed it."""

    text: str
    """The digits as in the file, at most 60 characters."""
    unit: str
    """The tool's own unit, such as `KiB/s`, `mb/sec` or `usec`."""
    name: str
    """The tool's own name for the number, such as `bw_bytes` or `Throughput mb/sec`."""


@frozen
class Metric:
    """One number of a measurement, both in our unit and as the tool printed it."""

    name: str
    """One of `stowage.measure.metrics.METRICS`, such as `read_mb_per_s`. If the number is not the tool's headline
    figure, a dot and a statistic follow: `read_latency_us.p99.9`."""
    value: float
    """Finite value, in the unit of the metric."""
    told: PrintedValue
    """Number as the tool printed it."""


@frozen
class Series:
    """One time series from a monitoring tool."""

    name: str
    """One of `stowage.measure.metrics.METRICS`."""
    of: str
    """Name of the device, interface or volume, such as `nvme1n1` or `eth0`; "" if there is only one."""
    started_at: datetime | None
    """Start of the series, with a time zone; None if the file does not state it."""
    times_s: tuple[float, ...]
    """Ends of the intervals since the start [s], ascending; at most `MOST_POINTS`."""
    values: tuple[float, ...]
    """Mean of each interval, in the metric's unit."""
    peaks: tuple[float, ...]
    """Maximum of each interval."""


@frozen
class Host:
    """Machines of a measurement, as the file describes them.

    Fields that the file does not state are None.
    """

    name: str | None = None
    kernel: str | None = None
    instance_type: str | None = None
    region: str | None = None
    zone: str | None = None
    nodes: int | None = None
    """Number of machines."""
    volume_type: str | None = None
    """EBS volume type, such as `gp3`."""
    volume_id: str | None = None
    cpus: int | None = None
    memory_gib: float | None = None


@frozen
class Reading:
    """One measurement, as parsed from a tool's output."""

    tool: Tool
    tool_version: str | None
    """Version as the tool writes it, such as `fio-3.33`."""
    status: Status
    failure: str | None
    """Reason for a status other than ok, for people; None if the status is ok."""
    name: str
    """Name of the job or test in the file."""
    line: int
    """Number of the first line of the measurement in the file, from 1."""
    metrics: tuple[Metric, ...]
    """Metrics; their names are unique."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the tool, with the tool's names and values as written: `rw` -> `randread`, `bs` -> `4k`."""
    started_at: datetime | None = None
    """Start of the measurement, with a time zone. If the file states no zone, UTC is assumed, and `notes` says so."""
    duration_s: float | None = None
    """Measured time [s]."""
    host: Host = field(default_factory=Host)
    series: tuple[Series, ...] = ()
    notes: tuple[str, ...] = ()
    """Assumptions of the reader, for people."""

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.failure is None):
            raise ValueError(f"{self.name}: status {self.status} with failure {self.failure!r}")


@frozen
class Remark:
    """Remark on one line that a reader did not understand."""

    line: int
    """Number of the line, from 1."""
    message: str
    """Message that states the text in the line, and what was expected."""


MOST_POINTS = 2_000
"""Maximum number of points of a series."""
MOST_SERIES = 256
"""Maximum number of series of a measurement; a machine with 24 disks and four interfaces has about 200."""
MOST_READINGS = 10_000
"""Maximum number of measurements of one file."""
MOST_REMARKS = 200
"""Maximum number of remarks of one file; the last one states how many more there are."""
