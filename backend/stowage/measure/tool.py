"""Benchmark and monitoring tools whose output is read: the only list of them."""

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
    """Title and subject of a tool.

    Parameters
    ----------
    title : str
        The tool's name as people write it.
    family : Family
        Subject of the tool's results: block storage, the network between nodes, a key-value store, jobs of a cluster,
        the activity of a machine; ``any`` for tools that report results of other tools.
    is_pair : bool
        Whether the tool measures between two machines.
    """

    title: str
    family: Family
    is_pair: bool = False


TOOLS: Mapping[Tool, ToolKind] = MappingProxyType(
    {
        "fio": ToolKind("fio", "storage"),
        "sysbench": ToolKind("sysbench", "storage"),
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
