"""Specification of a benchmark run.

It states the benchmark, what it measures, where it runs, and its time limit. The same classes are the sections of a
request: pydantic checks types and ranges where a request or a stored run is parsed. Unknown keys are errors, so that a
typo is never ignored.
"""

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import Field, with_config

from stowage.fields import Flag, Key
from stowage.frozen import frozen

Benchmark = Literal["diskbench", "netbench", "screening", "redis", "testdfsio"]
Market = Literal["on-demand", "spot"]
DiskMode = Literal["read-write", "read", "write"]
Sync = Literal["everysec", "always"]

MOST_NODES = 200
MOST_BLOCK_BYTES = 16 << 20
MOST_PROCESSES = 60
"""Maximum number of processes of a node that measure the network."""
LEAST_TIME_LIMIT_S, MOST_TIME_LIMIT_S = 600.0, 4 * 3600.0

_Measured = Annotated[float, Field(ge=1, le=3_600, strict=True, allow_inf_nan=False)]
_WarmUp = Annotated[float, Field(ge=0, le=600, strict=True, allow_inf_nan=False)]


def _with_kind(schema: dict[str, Any]) -> None:
    """Make `kind` a required property: it discriminates the union, so its default exists only in Python."""
    schema["required"] = ["kind", *schema.get("required", [])]
    del schema["properties"]["kind"]["default"]


@with_config(extra="forbid", json_schema_extra=_with_kind)
@frozen
class OwnDisks:
    """All instance-store disks of the instance type, as the storage to measure."""

    kind: Literal["instance-store"] = "instance-store"


@with_config(extra="forbid", json_schema_extra=_with_kind)
@frozen
class Volumes:
    """Identical EBS volumes of each node, as the storage to measure.

    They are created for the run, and deleted with their node.
    """

    kind: Literal["ebs"] = field(default="ebs", kw_only=True)
    type: Key
    """Volume type, such as `gp3`."""
    size_gib: Annotated[int, Field(ge=1, le=65_536, strict=True)]
    """Size of one volume [GiB]."""
    iops: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] | None = None
    """Provisioned IOPS of one volume [IOPS]; None for the default of the volume type."""
    throughput_mib_per_s: Annotated[int, Field(ge=1, le=100_000, strict=True)] | None = None
    """Provisioned throughput of one volume [MiB/s]; None for the default of the volume type."""
    count: Annotated[int, Field(ge=1, le=24, strict=True)] = 1
    """Number of volumes per node, 1 to 24."""


Storage = Annotated[OwnDisks | Volumes, Field(discriminator="kind")]


@with_config(extra="forbid")
@frozen
class DiskPlan:
    """Plan of the disk benchmark."""

    modes: Annotated[tuple[DiskMode, ...], Field(min_length=1, max_length=3)] = ("read-write", "read", "write")
    measured_s: _Measured = 60.0
    """Duration of the measurement of each mode [s]."""
    warm_up_s: _WarmUp = 10.0
    """Duration of the warm-up before each measurement [s]."""
    block_bytes: Annotated[int, Field(ge=4_096, le=MOST_BLOCK_BYTES, strict=True)] = 1 << 20


@with_config(extra="forbid")
@frozen
class NetPlan:
    """Plan of the network benchmark."""

    measured_s: _Measured = 20.0
    """Duration of the measurement at each cluster size [s]."""
    warm_up_s: _WarmUp = 3.0
    """Duration of the warm-up before each measurement [s]."""
    connections: Annotated[int, Field(ge=1, le=16, strict=True)] = 1
    """Number of connections from each node to each other node, 1 to 16."""
    processes: Annotated[int, Field(ge=1, le=MOST_PROCESSES, strict=True)] | None = None
    """Number of processes per node; None to derive it from the numbers of cores and of other nodes."""
    compare: Flag = True
    """Whether iperf3 also measures the network between two of the nodes, for comparison."""
    gather_s: Annotated[float, Field(ge=5, le=600, strict=True, allow_inf_nan=False)] = 120.0
    """Maximum time that nodes wait for each other [s]."""


@with_config(extra="forbid")
@frozen
class RedisPlan:
    """Plan of the Redis benchmark, in which Redis uses an append-only file."""

    syncs: Annotated[tuple[Sync, ...], Field(min_length=1, max_length=2)] = ("everysec", "always")
    """Settings of Redis to measure. Each states when the file is synced to disk: every second, or before each response.
    """
    measured_s: _Measured = 60.0
    """Duration of the measurement for each entry of `syncs` [s]."""


@with_config(extra="forbid")
@frozen
class DfsioPlan:
    """Plan of TestDFSIO, the benchmark of HDFS."""

    files_per_node: Annotated[int, Field(ge=1, le=128, strict=True)] = 8
    """Number of files per node, 1 to 128."""
    file_mb: Annotated[int, Field(ge=1, le=1 << 20, strict=True)] = 1024
    """Size of one file, in MB as TestDFSIO counts them."""


@with_config(extra="forbid")
@frozen
class RunSpec:
    """Specification of a run."""

    benchmark: Benchmark
    """Benchmark to run. `screening` measures the disks and the network of every node, to find nodes that are slower
    than the others."""
    instance: Key
    """EC2 instance type."""
    nodes: Annotated[int, Field(ge=1, le=MOST_NODES, strict=True)]
    """Number of nodes, 1 to 200; network benchmarks need at least two, TestDFSIO three."""
    region: Key
    zone: Key | None = None
    """Availability zone; None for any zone with capacity."""
    storage: Storage | None = None
    """Storage to measure; None if no storage is measured."""
    market: Market = "on-demand"
    placement_group: Flag = False
    """Whether the nodes are in a cluster placement group."""
    time_limit_s: Annotated[
        float, Field(ge=LEAST_TIME_LIMIT_S, le=MOST_TIME_LIMIT_S, strict=True, allow_inf_nan=False)
    ] = 1800.0
    """Maximum time from the launch to the end of the last node [s]."""
    disk: DiskPlan = field(default_factory=DiskPlan)
    net: NetPlan = field(default_factory=NetPlan)
    redis: RedisPlan = field(default_factory=RedisPlan)
    dfsio: DfsioPlan = field(default_factory=DfsioPlan)
