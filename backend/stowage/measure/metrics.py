"""Metrics into which the results of all benchmark tools are converted.

A metric is a quantity with one name, one unit and one meaning.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from stowage.frozen import frozen

Better = Literal["more", "less", "neither"]


@frozen
class MetricKind:
    """Properties of one metric, such as its unit."""

    unit: str
    """Unit: `MB/s`, `1/s`, `us`, `s`, `MB` or `1`."""
    better: Better
    """Whether more or less of it is better."""
    what: str
    """Description for people, such as `Sequential or random reads, all jobs together`."""


_STATISTIC = re.compile(r"(mean|min|max|stddev|total|p\d{1,2}(\.\d{1,6})?|p100)\Z")
_DIRECTIONS = {"read": "reads", "write": "writes", "trim": "trims", "mixed": "reads and writes together"}


_OF_DIRECTIONS: Mapping[str, tuple[str, Better, str]] = {
    "{}_mb_per_s": ("MB/s", "more", "Bandwidth of {}"),
    "{}_iops": ("1/s", "more", "Rate of {}"),
    "{}_mb": ("MB", "neither", "Moved by {}"),
    "{}_latency_us": ("us", "less", "Time that {} took, from submission to completion"),
    "{}_completion_latency_us": ("us", "less", "Time from the device's queue to completion, of {}"),
    "{}_submission_latency_us": ("us", "less", "Time to submit, of {}"),
}

METRICS: Mapping[str, MetricKind] = {
    **{
        name.format(direction): MetricKind(unit, better, what.format(words))
        for direction, words in _DIRECTIONS.items()
        for name, (unit, better, what) in _OF_DIRECTIONS.items()
    },
    "fsync_per_s": MetricKind("1/s", "more", "fsync calls"),
    "fsync_latency_us": MetricKind("us", "less", "Time that fsync took"),
    "storage_mb_per_s": MetricKind(
        "MB/s", "more", "DiskBench: half the disks read while the other half write at this rate"
    ),
    "network_mb_per_s": MetricKind("MB/s", "more", "What a node receives of others"),
    "network_sent_mb_per_s": MetricKind("MB/s", "more", "What a node sends to others"),
    "network_slowest_mb_per_s": MetricKind("MB/s", "more", "Slowest-node throughput"),
    "network_latency_us": MetricKind("us", "less", "Round trip"),
    "network_jitter_us": MetricKind("us", "less", "Change of the delay between packets"),
    "network_lost_share": MetricKind("1", "less", "Part of the packets that were lost"),
    "network_retransmits": MetricKind("1", "less", "TCP retransmits"),
    "transactions_per_s": MetricKind("1/s", "more", "Requests that were answered"),
    "operations_per_s": MetricKind("1/s", "more", "All operations together"),
    "operations_mb_per_s": MetricKind("MB/s", "more", "Bytes of all operations together"),
    "operation_latency_us": MetricKind("us", "less", "Time of an operation"),
    "set_per_s": MetricKind("1/s", "more", "SET, or what else the test is named after that writes"),
    "set_latency_us": MetricKind("us", "less", "Time of a SET"),
    "get_per_s": MetricKind("1/s", "more", "GET"),
    "get_latency_us": MetricKind("us", "less", "Time of a GET"),
    "time_s": MetricKind("s", "less", "How long the job took"),
    "moved_mb": MetricKind("MB", "neither", "Bytes that the job moved"),
    "cluster_mb_per_s": MetricKind("MB/s", "more", "All nodes together: bytes over the time of the job"),
    "task_mb_per_s": MetricKind("MB/s", "more", "One task: all bytes over the sum of the tasks' times"),
    "task_io_rate_mb_per_s": MetricKind("MB/s", "more", "Mean of the tasks' own rates"),
    "device_read_mb_per_s": MetricKind("MB/s", "neither", "Read from a device"),
    "device_write_mb_per_s": MetricKind("MB/s", "neither", "Written to a device"),
    "device_read_iops": MetricKind("1/s", "neither", "Reads of a device"),
    "device_write_iops": MetricKind("1/s", "neither", "Writes to a device"),
    "device_read_latency_us": MetricKind("us", "less", "Time of a read, waiting included"),
    "device_write_latency_us": MetricKind("us", "less", "Time of a write, waiting included"),
    "device_mb_per_s": MetricKind("MB/s", "neither", "Read from and written to a device"),
    "device_iops": MetricKind("1/s", "neither", "Reads of a device and writes to it"),
    "device_latency_us": MetricKind("us", "less", "Time of a read or a write, waiting included"),
    "device_queue": MetricKind("1", "neither", "Requests that wait or are served"),
    "device_busy_share": MetricKind("1", "neither", "Part of the time that a device had something to do"),
    "interface_received_mb_per_s": MetricKind("MB/s", "neither", "Received by an interface"),
    "interface_sent_mb_per_s": MetricKind("MB/s", "neither", "Sent by an interface"),
    "cpu_user_share": MetricKind("1", "neither", "CPU time in programs"),
    "cpu_system_share": MetricKind("1", "neither", "CPU time in the kernel"),
    "cpu_wait_share": MetricKind("1", "neither", "CPU time that waited for I/O"),
    "cpu_steal_share": MetricKind("1", "less", "CPU time that the hypervisor gave to others"),
    "cpu_idle_share": MetricKind("1", "neither", "CPU time with nothing to do"),
    "memory_used_share": MetricKind("1", "neither", "Part of the memory that is used"),
    "volume_read_mb_per_s": MetricKind("MB/s", "neither", "Read from an EBS volume"),
    "volume_write_mb_per_s": MetricKind("MB/s", "neither", "Written to an EBS volume"),
    "volume_read_iops": MetricKind("1/s", "neither", "Reads of an EBS volume"),
    "volume_write_iops": MetricKind("1/s", "neither", "Writes to an EBS volume"),
    "volume_queue": MetricKind("1", "neither", "Requests that wait for an EBS volume"),
    "volume_burst_balance_share": MetricKind("1", "more", "Burst credit left of an EBS volume"),
    "volume_idle_share": MetricKind("1", "neither", "Part of the time that a volume had nothing to do"),
}
"""All metrics by name, without statistics. If a name is missing here, a reader has a bug (`kind_of` raises)."""


@lru_cache(maxsize=1_000)
def kind_of(name: str) -> MetricKind:
    """Return the properties of a metric, such as its unit.

    Parameters
    ----------
    name : str
        Name of the metric. A statistic may follow: ``read_latency_us.p99.9``.

    Raises
    ------
    KeyError
        There is no such metric.

    Examples
    --------
    >>> kind_of("read_latency_us.p99.9").unit
    'us'
    """
    base, dot, statistic = name.partition(".")
    if dot and not _STATISTIC.match(statistic):
        raise KeyError(name)
    return METRICS[base]
