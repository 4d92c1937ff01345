"""List of the benchmark and monitoring tools whose output can be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Tool = Literal[
    "fio",
    "sysbench",
    "diskbench",
    "iperf3",
    "iperf",
    "netperf",
    "netbench",
    "redis-benchmark",
    "memtier_benchmark",
    "testdfsio",
    "terasort",
    "iostat",
    "sar",
    "vnstat",
    "cloudwatch",
    "perfkit",
    "csv",
]
Family = Literal["storage", "network", "store", "jobs", "monitor", "any"]


@dataclass(frozen=True, slots=True)
class ToolKind:
    """Properties of one tool, such as its title.

    Parameters
    ----------
    title : str
        The tool's name as people write it.
    family : Family
        Subject of the tool's results: block storage, the network between nodes, a key-value store, jobs of a cluster,
        or the activity of a machine. It is ``any`` for tools that report results of other tools.
    is_pair : bool
        Whether the tool measures between two machines.
    has_options : bool
        Whether its user chooses block size, direct I/O and warm-up of a disk benchmark, so that a run is checked for
        mistakes in them.
    """

    title: str
    family: Family
    is_pair: bool = False
    has_options: bool = False


TOOLS: Mapping[Tool, ToolKind] = MappingProxyType(
    {
        "fio": ToolKind("fio", "storage", has_options=True),
        "sysbench": ToolKind("sysbench", "storage", has_options=True),
        "diskbench": ToolKind("DiskBench", "storage"),
        "iperf3": ToolKind("iperf3", "network", is_pair=True),
        "iperf": ToolKind("iperf", "network", is_pair=True),
        "netperf": ToolKind("netperf", "network", is_pair=True),
        "netbench": ToolKind("NetBench", "network"),
        "redis-benchmark": ToolKind("redis-benchmark", "store"),
        "memtier_benchmark": ToolKind("memtier_benchmark", "store"),
        "testdfsio": ToolKind("TestDFSIO", "jobs"),
        "terasort": ToolKind("TeraSort", "jobs"),
        "iostat": ToolKind("iostat", "monitor"),
        "sar": ToolKind("sar", "monitor"),
        "vnstat": ToolKind("vnStat", "monitor"),
        "cloudwatch": ToolKind("CloudWatch", "monitor"),
        "perfkit": ToolKind("PerfKitBenchmarker", "any"),
        "csv": ToolKind("CSV", "any"),
    }
)
"""In the order in which forms list them."""


def of_family(*families: Family) -> frozenset[str]:
    """Return the names of all tools of the given families."""
    return frozenset(name for name, kind in TOOLS.items() if kind.family in families)


PAIRS = frozenset(name for name, kind in TOOLS.items() if kind.is_pair)
"""Tools that measure between two machines."""

WITH_OPTIONS = frozenset(name for name, kind in TOOLS.items() if kind.has_options)
"""Disk benchmarks whose users choose block size, direct I/O and warm-up."""
