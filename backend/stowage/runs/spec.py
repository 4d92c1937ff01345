"""Specification of a run: benchmark, target, place, and time limit."""

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
    """All disks that the instance type brings along."""

    kind: Literal["instance-store"] = "instance-store"


@dataclass(frozen=True, slots=True)
class Volumes:
    """Equal EBS volumes that are attached to each node for the run, and deleted with it.

    Parameters
    ----------
    type : str
        ``gp3``.
    size_gib : int
        Of one [GiB].
    iops, throughput_mib_per_s : int or None
        Provisioned of one [IOPS], [MiB/s]; None for what its type includes.
    count : int
        Of one node, 1 to 24.
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
    """How disks are measured.

    Parameters
    ----------
    modes : tuple of DiskMode
    measured_s, warm_up_s : float
        Of each mode [s].
    block_bytes : int
    """

    modes: tuple[DiskMode, ...] = ("read-write", "read", "write")
    measured_s: float = 60.0
    warm_up_s: float = 10.0
    block_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True)
class NetPlan:
    """How the network is measured.

    Parameters
    ----------
    measured_s, warm_up_s : float
        At each cluster size [s].
    connections : int
        From each node to each other, 1 to 16.
    processes : int or None
        Of each node; None for as many as its cores and peers ask for.
    compare : bool
        Whether iperf3 measures two of the nodes as well, in the same run.
    gather_s : float
        For how long nodes wait for each other [s].
    """

    measured_s: float = 20.0
    warm_up_s: float = 3.0
    connections: int = 1
    processes: int | None = None
    compare: bool = True
    gather_s: float = 120.0


@dataclass(frozen=True, slots=True)
class RedisPlan:
    """How Redis is measured that writes an append-only file.

    Parameters
    ----------
    syncs : tuple of Sync
        When the file is forced to the disk: every second, or before each answer.
    measured_s : float
        Of each of them [s].
    """

    syncs: tuple[Sync, ...] = ("everysec", "always")
    measured_s: float = 60.0


@dataclass(frozen=True, slots=True)
class DfsioPlan:
    """How TestDFSIO writes and reads HDFS.

    Parameters
    ----------
    files_per_node : int
        1 to 128.
    file_mb : int
        Of one file [MB], as TestDFSIO counts them.
    """

    files_per_node: int = 8
    file_mb: int = 1024


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A run as it is asked for.

    Parameters
    ----------
    benchmark : Benchmark
        ``screening``: disks and network of every node, to find the nodes that are slower than the others.
    instance : str
        EC2 type.
    nodes : int
        1 to `MOST_NODES`; the network needs two, TestDFSIO three.
    region : str
    zone : str or None
        None for whichever has room.
    storage : OwnDisks, Volumes or None
        None where no storage takes part.
    market : Market
    placement_group : bool
        Whether the nodes stand in a cluster placement group.
    time_limit_s : float
        From the launch to the end of the last node at most [s].
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
