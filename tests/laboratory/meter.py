"""CloudWatch metrics: the kernel's counters of links and disks, written to the simulation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from laboratory.namespaces import Link

_SECTOR_BYTES = 512


@dataclass(frozen=True, slots=True)
class _Disk:
    """Counters of a block device since it was created (Documentation/admin-guide/iostats.rst of Linux)."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int
    busy_s: float
    queue_s: float

    @classmethod
    def of(cls, device: str) -> "_Disk":
        fields = [int(each) for each in (Path("/sys/block") / Path(device).name / "stat").read_text().split()]
        return cls(
            fields[0],
            fields[2] * _SECTOR_BYTES,
            fields[4],
            fields[6] * _SECTOR_BYTES,
            fields[9] / 1000,
            fields[10] / 1000,
        )


@dataclass
class Meter:
    """Counters of one instance."""

    instance: str
    link: Link
    volumes: Mapping[str, str]
    """Volume -> device."""
    at: float
    """Time of the last reading [s]."""
    disks: dict[str, _Disk] = field(init=False)
    carried: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        # The kernel continues the counters of a removed device of the same name.
        self.disks = {volume: _Disk.of(device) for volume, device in self.volumes.items()}

    def read(self, now: float) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield namespace and datum of each metric, for the time since the last reading."""
        passed, self.at = now - self.at, now
        sent, received = self.link.carried_bytes()
        for name, value in (("NetworkOut", sent - self.carried[0]), ("NetworkIn", received - self.carried[1])):
            yield "AWS/EC2", _datum(name, "InstanceId", self.instance, float(value), "Bytes", now)
        self.carried = (sent, received)
        for volume, device in self.volumes.items():
            before, after = self.disks[volume], _Disk.of(device)
            self.disks[volume] = after
            idle = max(passed - (after.busy_s - before.busy_s), 0.0)
            for name, moved, unit in (
                ("VolumeReadBytes", after.read_bytes - before.read_bytes, "Bytes"),
                ("VolumeWriteBytes", after.written_bytes - before.written_bytes, "Bytes"),
                ("VolumeReadOps", after.reads - before.reads, "Count"),
                ("VolumeWriteOps", after.writes - before.writes, "Count"),
                ("VolumeIdleTime", idle, "Seconds"),
                ("VolumeQueueLength", (after.queue_s - before.queue_s) / passed, "Count"),
            ):
                yield "AWS/EBS", _datum(name, "VolumeId", volume, float(moved), unit, now)


def _datum(name: str, dimension: str, of: str, value: float, unit: str, now: float) -> dict[str, Any]:
    return {
        "MetricName": name,
        "Dimensions": [{"Name": dimension, "Value": of}],
        "Timestamp": datetime.fromtimestamp(now, UTC),
        "Value": value,
        "Unit": unit,
    }
