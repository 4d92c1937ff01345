"""Short constructors of results and targets, for tests of profiles and judgements."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from stowage.measure.profiling.profiles import Measured, Verdict, measured_of
from stowage.measure.reading import Host, Metric, PrintedValue, Reading, Series, Status
from stowage.measure.target import DiskTarget, Storage, Target, VolumeTarget
from stowage.measure.tool import Tool
from stowage.model.hardware.catalog import Catalog

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
LARGE_READS = {
    "name": "reads",
    "rw": "read",
    "bs": "1m",
    "iodepth": "32",
    "direct": "1",
    "ioengine": "libaio",
    "runtime": "120",
    "ramp_time": "10",
    "size": "100g",
}
SMALL_READS = LARGE_READS | {"rw": "randread", "bs": "4k", "iodepth": "64", "numjobs": "4"}
NOT_TOLD = PrintedValue("", "", "")


def a_reading(
    tool: Tool = "fio",
    settings: Mapping[str, str] | None = None,
    *,
    status: Status = "ok",
    duration_s: float | None = 120.0,
    host: Host | None = None,
    notes: tuple[str, ...] = (),
    series: tuple[Series, ...] = (),
    name: str = "a run",
    **values: float,
) -> Reading:
    """Build a result; in names of metrics __ stands for the dot."""
    return Reading(
        tool=tool,
        tool_version=None,
        status=status,
        failure=None if status == "ok" else "it broke",
        name=name,
        line=1,
        metrics=tuple(Metric(metric.replace("__", "."), value, NOT_TOLD) for metric, value in values.items()),
        settings={} if settings is None else settings,
        duration_s=duration_s,
        host=host or Host(),
        notes=notes,
        series=series,
    )


def on(
    instance: str,
    storage: Storage | None = None,
    *,
    nodes: int = 1,
    region: str = "us-east-1",
    zone: str | None = None,
    placement_group: bool | None = None,
) -> Target:
    return Target(instance, region, zone, storage, nodes, placement_group)


def disks(count: int) -> DiskTarget:
    return DiskTarget(count)


def gp3(
    count: int = 1, iops: float | None = None, mib_per_s: float | None = None, size_gib: float = 500.0
) -> VolumeTarget:
    return VolumeTarget("gp3", size_gib, iops, mib_per_s, count)


def kept(
    reading: Reading,
    target: Target,
    catalog: Catalog,
    *,
    number: int = 0,
    days: float = 0.0,
    verdict: Verdict = "good",
    dated: bool = True,
) -> tuple[Measured, ...]:
    """Return the contribution to profiles of a measurement made some days after the first."""
    at = START + timedelta(days=days)
    return measured_of(f"m{number:04d}", reading, target, verdict, at, catalog, dated=dated)
