"""Specification of a benchmark run.

It states the benchmark, what it measures, where it runs, and its time limit.
"""

from dataclasses import dataclass, field
from typing import Literal

Benchmark = Literal["diskbench", "netbench", "screening", "redis", "testdfsio"]
Market = Literal["on-demand", "spot"]
DiskMode = Literal["read-write", "read", "write"]
Sync = Literal["everysec", "always"]

MOST_NODES = 200
LEAST_TIME_LIMIT_S, MOST_TIME_LIMIT_S = 600.0, 4 * 3600.0


@dataclass(frozen=True, slots=True)
class OwnDisks:
    """All instance-store disks of the instance type, as the storage to measure."""

    kind: Literal["instance-store"] = "instance-store"


@dataclass(frozen=True, slots=True)
class Volumes:
    """Identical EBS volumes of each node, as the storage to measure.

    They are created for the run, and deleted with their node.

    Parameters
    ----------
    type : str
        Volume type, such as ``gp3``.
    size_gib : int
        Size of one volume [GiB].
    iops, throughput_mib_per_s : int or None
        Provisioned IOPS [IOPS] and throughput [MiB/s] of one volume; None for the default of the volume type.
    count : int
        Number of volumes per node, 1 to 24.
    kind : {"ebs"}
    """

    type: str
    size_gib: int
    iops: int | None = None
    throughput_mib_per_s: int | None = None
    count: int = 1
    kind: Literal["ebs"] = "ebs"


Storage = OwnDisks | Volumes


@dataclass(frozen=True, slots=True)
class DiskPlan:
    """Plan of the disk benchmark.

    Parameters
    ----------
    modes : tuple of DiskMode
    measured_s, warm_up_s : float
        Duration of the measurement and of the warm-up before it [s]. Both apply to each mode.
    block_bytes : int
    """

    modes: tuple[DiskMode, ...] = ("read-write", "read", "write")
    measured_s: float = 60.0
    warm_up_s: float = 10.0
    block_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True)
class NetPlan:
    """Plan of the network benchmark.

    Parameters
    ----------
    measured_s, warm_up_s : float
        Duration of the measurement and of the warm-up before it [s]. Both apply to each cluster size.
    connections : int
        Number of connections from each node to each other node, 1 to 16.
    processes : int or None
        Number of processes per node; None to derive it from the numbers of cores and of other nodes.
    compare : bool
        Whether iperf3 also measures the network between two of the nodes, for comparison.
    gather_s : float
        Maximum time that nodes wait for each other [s].
    """

    measured_s: float = 20.0
    warm_up_s: float = 3.0
    connections: int = 1
    processes: int | None = None
    compare: bool = True
    gather_s: float = 120.0


@dataclass(frozen=True, slots=True)
class RedisPlan:
    """Plan of the Redis benchmark, in which Redis uses an append-only file.

    Parameters
    ----------
    syncs : tuple of Sync
        Settings of Redis to measure. Each states when the file is synced to disk: every second, or before each
        response.
    measured_s : float
        Duration of the measurement for each entry of ``syncs`` [s].
    """

    syncs: tuple[Sync, ...] = ("everysec", "always")
    measured_s: float = 60.0


@dataclass(frozen=True, slots=True)
class DfsioPlan:
    """Plan of TestDFSIO, the benchmark of HDFS.

    Parameters
    ----------
    files_per_node : int
        Number of files per node, 1 to 128.
    file_mb : int
        Size of one file, in MB as TestDFSIO counts them.
    """

    files_per_node: int = 8
    file_mb: int = 1024


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Specification of a run.

    Parameters
    ----------
    benchmark : Benchmark
        Benchmark to run. ``screening`` measures the disks and the network of every node, to find nodes that are slower
        than the others.
    instance : str
        EC2 instance type.
    nodes : int
        Number of nodes, 1 to `MOST_NODES`; network benchmarks need at least two, TestDFSIO three.
    region : str
    zone : str or None
        Availability zone; None for any zone with capacity.
    storage : OwnDisks, Volumes or None
        Storage to measure; None if no storage is measured.
    market : Market
    placement_group : bool
        Whether the nodes are in a cluster placement group.
    time_limit_s : float
        Maximum time from the launch to the end of the last node [s].
    disk : DiskPlan
    net : NetPlan
    redis : RedisPlan
    dfsio : DfsioPlan
    """

    benchmark: Benchmark
    instance: str
    nodes: int
    region: str
    zone: str | None = None
    storage: Storage | None = None
    market: Market = "on-demand"
    placement_group: bool = False
    time_limit_s: float = 1800.0
    disk: DiskPlan = field(default_factory=DiskPlan)
    net: NetPlan = field(default_factory=NetPlan)
    redis: RedisPlan = field(default_factory=RedisPlan)
    dfsio: DfsioPlan = field(default_factory=DfsioPlan)
