"""List of the benchmark and monitoring tools whose output can be read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from stowage.frozen import frozen

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


@frozen
class ToolKind:
    """Properties of one tool, such as its title."""

    title: str
    """The tool's name as people write it."""
    accepts: str
    """Formats of its output that are read, for people."""
    family: Family
    """Subject of the tool's results: block storage, the network between nodes, a key-value store, jobs of a cluster, or
    the activity of a machine. It is `any` for tools that report results of other tools."""
    is_pair: bool = False
    """Whether the tool measures between two machines."""
    has_options: bool = False
    """Whether its user chooses block size, direct I/O and warm-up of a disk benchmark, so that a run is checked for
    mistakes in them."""
    is_sequential: bool = False
    """Whether it always reads and writes sequentially, so that its output does not say so."""


TOOLS: Mapping[Tool, ToolKind] = MappingProxyType(
    {
        "fio": ToolKind(
            "fio",
            "JSON of 2.x and 3.x, json+, terse 2 to 5, normal text; several in one file; client and server",
            "storage",
            has_options=True,
        ),
        "sysbench": ToolKind("sysbench", "text of `fileio`", "storage", has_options=True),
        "diskbench": ToolKind("DiskBench", "Stowage's own JSON", "storage", is_sequential=True),
        "iperf3": ToolKind(
            "iperf3", "JSON, JSON events and text; UDP, parallel, reverse, bidirectional", "network", is_pair=True
        ),
        "iperf": ToolKind(
            "iperf",
            "text and CSV of iperf 2; UDP, parallel, reverse; bidirectional unless one line sums both directions",
            "network",
            is_pair=True,
        ),
        "netperf": ToolKind("netperf", "text, `key=value` and CSV", "network", is_pair=True),
        "netbench": ToolKind("NetBench", "Stowage's own JSON", "network"),
        "redis-benchmark": ToolKind("redis-benchmark", "text, quiet text and CSV", "store"),
        "memtier_benchmark": ToolKind("memtier_benchmark", "text and JSON", "store"),
        "testdfsio": ToolKind(
            "TestDFSIO",
            "result log and console output of Hadoop 1 to 3; throughput per task and of the cluster stored separately",
            "jobs",
        ),
        "terasort": ToolKind("TeraSort", "console output of Hadoop 1 to 3, also of TeraGen", "jobs"),
        "iostat": ToolKind("iostat", "text and JSON, as time series to compare with a job", "monitor"),
        "sar": ToolKind("sar", "text, and JSON and lists of sadf, as time series to compare with a job", "monitor"),
        "vnstat": ToolKind("vnStat", "text and JSON, as time series to compare with a job", "monitor"),
        "cloudwatch": ToolKind(
            "CloudWatch",
            "responses of `get-metric-data` and `get-metric-statistics`, as time series to compare with a job",
            "monitor",
        ),
        "perfkit": ToolKind("PerfKitBenchmarker", "samples, one JSON document per line", "any"),
        "csv": ToolKind("CSV", "a table of results of any other tool, see below", "any"),
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

SEQUENTIAL = frozenset(name for name, kind in TOOLS.items() if kind.is_sequential)
"""Tools that always read and write sequentially."""
