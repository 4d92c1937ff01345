"""Jobs as phases of flows: what each of n equal nodes moves, in which order.

A job is a list of phases; in a phase its flows run side by side. Sorting, writing to HDFS or appending
to a log are different lists, not different code: the time of each comes from the same resources.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import ClassVar, Literal

import numpy as np

from stowage.model.figure import Figure, given
from stowage.model.units import MB_PER_MIB, Quantity, longer, smaller

DurabilityModel = Literal["none", "application", "infrastructure", "object-store"]
Fsync = Literal["always", "every second", "never", "at the end"]
JobName = Literal["sort", "mapreduce", "hdfs-write", "hdfs-read", "append-log", "random-io", "phases"]


class Role(StrEnum):
    """What a flow does; the storage layout decides which resource of the node it meets."""

    INPUT_READ = "input read"
    OUTPUT_WRITE = "output write"
    INTERMEDIATE_WRITE = "intermediate write"
    INTERMEDIATE_READ = "intermediate read"
    RANDOM_READ = "random read"
    RANDOM_WRITE = "random write"
    NETWORK_OUT = "network out"
    NETWORK_IN = "network in"
    CPU = "cpu"


INTERMEDIATE = (Role.INTERMEDIATE_READ, Role.INTERMEDIATE_WRITE)
READS = (Role.INPUT_READ, Role.INTERMEDIATE_READ, Role.RANDOM_READ)
WRITES = (Role.OUTPUT_WRITE, Role.INTERMEDIATE_WRITE, Role.RANDOM_WRITE)

DIRTY_RATIO = Figure(
    quantity="dirty_ratio",
    value=0.15,
    unit="1",
    source=(
        "Linux, Documentation/admin-guide/sysctl/vm.rst: vm.dirty_ratio 20 and vm.dirty_background_ratio 10 percent of "
        "available memory by default; writers are slowed from half-way between the two (mm/page-writeback.c)"
    ),
    kind="published",
    as_of=date(2026, 11, 20),
)
"""Share of the memory not taken by programs that unwritten pages fill before the writer waits for the disk."""

MERGE_FAN_IN = Figure(
    quantity="merge_fan_in",
    value=10.0,
    unit="1",
    source="Hadoop, mapred-default.xml: mapreduce.task.io.sort.factor",
    kind="published",
    as_of=date(2026, 11, 20),
)
"""Sorted runs that one merge pass takes together."""

REPLICATION_OF_EMR = Figure(
    quantity="emr_replication",
    value=3.0,
    unit="1",
    source="Amazon EMR release guide, HDFS configuration: dfs.replication is 1 below 4 core nodes, 2 below 10, else 3",
    kind="published",
    as_of=date(2026, 11, 20),
)
"""Copies that EMR's HDFS keeps where nobody says how many; the value goes with the cluster (`default_replication`)."""

SORT_MEMORY = Figure(
    quantity="sort_memory",
    value=0.5,
    unit="1",
    source="Assumed: half of a node's memory holds the partitions being sorted; the rest is the system's and buffers",
    kind="estimated",
    as_of=date(2026, 11, 20),
)
"""Share of a node's memory in which partitions are sorted."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a job whose flows run side by side: what one node moves.

    Parameters
    ----------
    name : str
    flows_mb : Mapping[Role, float or array]
        [MB] of the node with the most to do.
    cache_mb : float or array
        Of the output, what the page cache takes before the writer waits for the disk [MB].
    """

    name: str
    flows_mb: Mapping[Role, Quantity]
    cache_mb: Quantity = 0.0


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes that a job runs on, as far as its flows depend on them.

    Parameters
    ----------
    count : float or array
        At least 1.
    memory_mb : float or array
        Of one node [MB].
    vcpus : float or array
        Of one node; the partitions that are sorted at the same time.
    whole_shuffle : bool
        Send all shuffled bytes over the network, as the paper does (Eq. 1), instead of (n-1)/n.
    spills : bool
        Whether the framework spills and merges on both sides of the shuffle, as Hadoop does.
    """

    count: Quantity
    memory_mb: Quantity = 0.0
    vcpus: Quantity = 1.0
    whole_shuffle: bool = False
    spills: bool = False

    def shuffled(self, per_node_mb: Quantity) -> Quantity:
        """Give what of its bytes a node sends to others [MB]: a single node keeps everything."""
        # Beyond a single node the paper drops the factor (n-1)/n.
        remote = smaller(self.count - 1.0, 1.0) if self.whole_shuffle else (self.count - 1.0) / self.count
        return per_node_mb * remote


@dataclass(frozen=True, slots=True)
class Durability:
    """How data is kept: copies made by the application, or by the storage below it.

    Parameters
    ----------
    model : {"none", "application", "infrastructure", "object-store"}
    replicas : int
        Copies that the application keeps on different nodes, counting the first; at least 1.
    """

    model: DurabilityModel = "none"
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class MapReduce:
    """A sort, or a map and a reduce with a shuffle between them.

    Parameters
    ----------
    kind : {"sort", "mapreduce"}
    data_mb : float
        Input [MB], above 0.
    map_selectivity, reduce_selectivity : float
        Map output per input and reduce output per map output [1], above 0; 1 for a sort.
    durability : Durability
    skew : float
        What the node with the most keys receives, in shares of the mean [1]; at least 1.
    partitions : int or None
        Into how many parts the intermediate data is cut; None for as many as memory asks for.
    """

    kind: Literal["sort", "mapreduce"]
    data_mb: float
    map_selectivity: float = 1.0
    reduce_selectivity: float = 1.0
    durability: Durability = field(default_factory=Durability)
    skew: float = 1.0
    partitions: int | None = None

    random_io_kib: ClassVar[None] = None
    default_copies: ClassVar[bool] = False
    stays: ClassVar[bool] = False

    @property
    def intermediate_mb(self) -> float:
        """Intermediate data [MB]."""
        return self.data_mb * self.map_selectivity

    @property
    def output_mb(self) -> float:
        """One copy of the output [MB]."""
        return self.intermediate_mb * self.reduce_selectivity

    @property
    def input_output_mb(self) -> float:
        """What input and all copies of the output take [MB]; nothing is deleted before the end."""
        return self.data_mb + self.durability.replicas * self.output_mb

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Give the phases of the job.

        Notes
        -----
        **Source**: SoCC 2015 paper, section 3.3. Eq. 1 and 3 for the two phases; Eq. 8 for the
        copies, of which each is sent to another node and written there; Eq. 10 and 11 are the
        same flows on a layout whose input and output live on EBS. Hadoop's passes: spills on the
        map side are merged once before they are served, and what a reducer cannot hold is merged
        in passes of `MERGE_FAN_IN` runs (T. White, Hadoop: The Definitive Guide, 4th ed., chapter 7).
        """
        count, copies = nodes.count, self.durability.replicas
        input_mb = self.data_mb / count
        mapped_mb = self.intermediate_mb / count
        received_mb = self._heaviest(mapped_mb, count)
        sent_mb = nodes.shuffled(mapped_mb)
        first: dict[Role, Quantity] = {
            Role.INPUT_READ: input_mb,
            Role.CPU: input_mb,
            Role.NETWORK_OUT: sent_mb,
            Role.NETWORK_IN: sent_mb if self.skew == 1.0 else nodes.shuffled(received_mb),
            Role.INTERMEDIATE_WRITE: received_mb,
        }
        second: dict[Role, Quantity] = {
            Role.INTERMEDIATE_READ: received_mb,
            Role.CPU: received_mb,
            Role.OUTPUT_WRITE: self._written(copies, count),
        }
        if copies > 1:
            sent_copies_mb = (copies - 1) * self._heaviest(self.output_mb / count, count)
            received_copies_mb = (copies - 1) * self.output_mb / count
            second |= {Role.NETWORK_OUT: sent_copies_mb, Role.NETWORK_IN: received_copies_mb}
        passes = self.merge_passes(nodes)
        if nodes.spills:
            # Map output is spilled, merged and served from disk before it is shuffled.
            first[Role.INTERMEDIATE_WRITE] = received_mb + 2.0 * mapped_mb
            first[Role.INTERMEDIATE_READ] = 2.0 * mapped_mb
        if not isinstance(passes, float) or passes > 0.0:
            second[Role.INTERMEDIATE_READ] = received_mb * (1.0 + passes)
            second[Role.INTERMEDIATE_WRITE] = received_mb * passes
        return (Phase("map and shuffle", first), Phase("sort and reduce", second))

    def merge_passes(self, nodes: Nodes) -> Quantity:
        """Say how often intermediate data is read and written once more because a partition exceeds memory.

        Returns
        -------
        float or array
            Passes [1]: 0 where the largest partition fits. With Hadoop one merge of `MERGE_FAN_IN` runs
            feeds the reducer and is free; each further factor costs a pass.
        """
        if self.partitions is None and not nodes.spills:
            return 0.0
        room_mb = nodes.memory_mb * SORT_MEMORY.value / nodes.vcpus
        partitions = float(self.partitions) if self.partitions is not None else nodes.count * nodes.vcpus
        # However uneven the keys, a partition never has more than there is.
        largest_mb = smaller(self.intermediate_mb * self.skew / partitions, self.intermediate_mb)
        runs = np.ceil(largest_mb / room_mb)
        levels = np.ceil(np.log(np.maximum(runs, 1.0)) / np.log(MERGE_FAN_IN.value) - 1e-12)
        passes: Quantity = np.maximum(levels - 1.0, 0.0) if nodes.spills else levels
        return passes if isinstance(passes, np.ndarray) else float(passes)

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave."""
        figures = [given("workload.data", self.data_mb, "MB")]
        if self.kind == "mapreduce":
            figures.append(given("workload.map_selectivity", self.map_selectivity, "1"))
            figures.append(given("workload.reduce_selectivity", self.reduce_selectivity, "1"))
        if self.skew != 1.0:
            figures.append(given("workload.skew", self.skew, "1"))
        if self.partitions is not None:
            figures.append(given("workload.partitions", float(self.partitions), "1"))
        if self.durability.model == "application":
            figures.append(given("workload.durability.replicas", float(self.durability.replicas), "1"))
        return tuple(figures)

    def _written(self, copies: int, count: Quantity) -> Quantity:
        """Give what the node with the most keys writes [MB]: its own output, and its part of the others' copies."""
        mean_mb = self.output_mb / count
        if self.skew == 1.0:
            return copies * self.output_mb / count
        own_mb = self._heaviest(mean_mb, count)
        return own_mb + (copies - 1) * (self.output_mb - own_mb) / longer(count - 1.0, 1.0)

    def _heaviest(self, mean_mb: Quantity, count: Quantity) -> Quantity:
        """Give what the node with the most keys has [MB]: never more than there is in all."""
        return mean_mb if self.skew == 1.0 else smaller(mean_mb * self.skew, mean_mb * count)


@dataclass(frozen=True, slots=True)
class Hdfs:
    """Writing files to HDFS, or reading them.

    Parameters
    ----------
    kind : {"hdfs-write", "hdfs-read"}
    data_mb : float
        One copy of the files [MB], above 0.
    durability : Durability
        Its replicas are the replication factor f. `default_replication` is what EMR sets by itself.
    block_mb : float
        Size of a block [MB].
    local_share : float
        Of a read, what comes from the reader's own disks [1], 0 to 1.
    default_copies : bool
        Whether nobody gave a replication factor: EMR's own holds, by cluster size (`default_replication`).
    """

    kind: Literal["hdfs-write", "hdfs-read"]
    data_mb: float
    durability: Durability = field(default_factory=lambda: Durability("application", 3))
    block_mb: float = 128 * MB_PER_MIB
    local_share: float = 1.0
    default_copies: bool = False

    random_io_kib: ClassVar[None] = None
    intermediate_mb: ClassVar[float] = 0.0
    stays: ClassVar[bool] = True

    @property
    def input_output_mb(self) -> float:
        """All copies [MB]."""
        return self.durability.replicas * self.data_mb

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Give the one phase.

        Notes
        -----
        **Source**: HDFS architecture guide, "Replica placement" and "Replication pipelining": the first copy
        of a block is local to its writer, each of the f - 1 others crosses the network once.
        """
        share_mb = self.data_mb / nodes.count
        if self.kind == "hdfs-read":
            flows: dict[Role, Quantity] = {Role.INPUT_READ: share_mb, Role.CPU: share_mb}
            if self.local_share < 1.0:
                # What is not local comes from another node, however few there are; a single node has all of it.
                remote_mb = share_mb * (1.0 - self.local_share) * smaller(nodes.count - 1.0, 1.0)
                flows |= {Role.NETWORK_OUT: remote_mb, Role.NETWORK_IN: remote_mb}
            return (Phase("read", flows),)
        copies = self.durability.replicas
        flows = {Role.OUTPUT_WRITE: copies * share_mb, Role.CPU: share_mb}
        if copies > 1:
            remote_mb = (copies - 1) * share_mb
            flows |= {Role.NETWORK_OUT: remote_mb, Role.NETWORK_IN: remote_mb}
        return (Phase("write", flows),)

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave, or EMR sets."""
        figures = [given("workload.data", self.data_mb, "MB")]
        copies = float(self.durability.replicas)
        if self.default_copies:
            figures.append(replace(REPLICATION_OF_EMR, value=copies))
        else:
            figures.append(given("workload.replication", copies, "1"))
        if self.kind == "hdfs-read" and self.local_share < 1.0:
            figures.append(given("workload.local_share", self.local_share, "1"))
        return tuple(figures)


@dataclass(frozen=True, slots=True)
class AppendLog:
    """An append-only log, such as Redis' append-only file.

    Parameters
    ----------
    data_mb : float
        What is appended [MB], above 0.
    record_kib : float
        Size of one record [KiB].
    fsync : {"always", "every second", "never", "at the end"}
        "always" waits for the disk at each record; "every second" and "never" let the page cache take
        records in, and the time is what the client sees; "at the end" counts until all is on disk.
    in_memory : float
        Of what is appended, the share that the program keeps in memory as well [1], 0 to 1: memory that the
        page cache cannot have.
    snapshot : bool
        Whether all that is in memory is written once more at the end.
    durability : Durability
    """

    data_mb: float
    record_kib: float
    fsync: Fsync = "every second"
    in_memory: float = 0.0
    snapshot: bool = False
    durability: Durability = field(default_factory=Durability)

    kind: ClassVar[Literal["append-log"]] = "append-log"
    intermediate_mb: ClassVar[float] = 0.0
    default_copies: ClassVar[bool] = False
    stays: ClassVar[bool] = True

    @property
    def random_io_kib(self) -> float | None:
        """Size of an I/O that cannot be merged with the next [KiB]: a record, where each is waited for."""
        return self.record_kib if self.fsync == "always" else None

    @property
    def input_output_mb(self) -> float:
        """The log, and the snapshot beside it; all copies [MB]."""
        return self.durability.replicas * (self.data_mb + self._snapshot_mb)

    @property
    def _cached(self) -> bool:
        return self.fsync in {"every second", "never"}

    @property
    def _snapshot_mb(self) -> float:
        return self.data_mb * self.in_memory if self.snapshot else 0.0

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Give the phases of the job.

        Notes
        -----
        The page cache is a credit on the disk: the writer waits once what is not yet on disk exceeds
        `DIRTY_RATIO` of the memory that programs leave. **Source**: see there.
        """
        copies = self.durability.replicas
        share_mb = copies * self.data_mb / nodes.count
        written = Role.RANDOM_WRITE if self.fsync == "always" else Role.OUTPUT_WRITE
        flows: dict[Role, Quantity] = {written: share_mb, Role.CPU: share_mb, Role.NETWORK_IN: share_mb}
        if copies > 1:
            flows[Role.NETWORK_OUT] = (copies - 1) * self.data_mb / nodes.count
        free_mb = longer(nodes.memory_mb - self.in_memory * share_mb, 0.0)
        append = Phase("append", flows, DIRTY_RATIO.value * free_mb if self._cached else 0.0)
        if not self.snapshot or self.in_memory == 0.0:
            return (append,)
        dumped_mb = copies * self._snapshot_mb / nodes.count
        return (append, Phase("snapshot", {Role.OUTPUT_WRITE: dumped_mb, Role.CPU: dumped_mb}))

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave."""
        figures = [given("workload.data", self.data_mb, "MB")]
        if self.fsync == "always":
            figures.append(given("workload.record", self.record_kib, "KiB"))
        if self.in_memory > 0.0 and (self.snapshot or self._cached):
            figures.append(given("workload.in_memory", self.in_memory, "1"))
        if self.durability.model == "application":
            figures.append(given("workload.durability.replicas", float(self.durability.replicas), "1"))
        return tuple(figures)


@dataclass(frozen=True, slots=True)
class RandomIo:
    """Random reads and writes of one size.

    Parameters
    ----------
    data_mb : float
        What is read and written in all [MB], above 0.
    io_kib : float
        Size of one I/O [KiB].
    read_share : float
        Of the I/Os, how many are reads [1], 0 to 1.
    queue_depth : float
        I/Os outstanding on each node; at least 1.
    working_set_mb : float
        What the I/Os are spread over [MB]: what must be held.
    durability : Durability
    """

    data_mb: float
    io_kib: float
    read_share: float = 0.5
    queue_depth: float = 1.0
    working_set_mb: float = 0.0
    durability: Durability = field(default_factory=Durability)

    kind: ClassVar[Literal["random-io"]] = "random-io"
    intermediate_mb: ClassVar[float] = 0.0
    default_copies: ClassVar[bool] = False
    stays: ClassVar[bool] = True

    @property
    def random_io_kib(self) -> float:
        """Size of one I/O [KiB]."""
        return self.io_kib

    @property
    def input_output_mb(self) -> float:
        """All copies of the working set [MB]."""
        return self.durability.replicas * max(self.working_set_mb, self.io_kib * MB_PER_MIB / 1024.0)

    @property
    def operations(self) -> float:
        """I/Os in all [1]."""
        return self.data_mb / (self.io_kib * MB_PER_MIB / 1024.0)

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Give the one phase; each write is made on every copy."""
        share_mb = self.data_mb / nodes.count
        copies = self.durability.replicas
        flows: dict[Role, Quantity] = {Role.CPU: share_mb}
        if self.read_share > 0.0:
            flows[Role.RANDOM_READ] = self.read_share * share_mb
        if self.read_share < 1.0:
            written_mb = (1.0 - self.read_share) * share_mb
            flows[Role.RANDOM_WRITE] = copies * written_mb
            if copies > 1:
                remote_mb = (copies - 1) * written_mb
                flows |= {Role.NETWORK_OUT: remote_mb, Role.NETWORK_IN: remote_mb}
        return (Phase("random I/O", flows),)

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave."""
        figures = [given("workload.data", self.data_mb, "MB"), given("workload.io", self.io_kib, "KiB")]
        figures.append(given("workload.working_set", self.working_set_mb, "MB"))
        if self.durability.model == "application":
            figures.append(given("workload.durability.replicas", float(self.durability.replicas), "1"))
        return tuple(figures)


@dataclass(frozen=True, slots=True)
class FreePhases:
    """Phases that the user spells out.

    Parameters
    ----------
    data_mb : float
        What must be held on input and output storage [MB], above 0.
    spelled : tuple of (str, Mapping[Role, float])
        Name of each phase and what it moves over the whole cluster [MB].
    intermediate_mb : float
        What must be held on intermediate storage [MB]; at least what one phase writes or reads there.
    random_io_kib : float or None
        Size of one I/O where flows are random [KiB].
    durability : Durability
    """

    data_mb: float
    spelled: tuple[tuple[str, Mapping[Role, float]], ...]
    intermediate_mb: float = 0.0
    random_io_kib: float | None = None
    durability: Durability = field(default_factory=Durability)

    kind: ClassVar[Literal["phases"]] = "phases"
    default_copies: ClassVar[bool] = False
    stays: ClassVar[bool] = False

    def __post_init__(self) -> None:
        moved = (flows.get(role, 0.0) for _, flows in self.spelled for role in INTERMEDIATE)
        object.__setattr__(self, "intermediate_mb", max((self.intermediate_mb, *moved)))

    @property
    def input_output_mb(self) -> float:
        """What must be held on input and output storage [MB]."""
        return self.data_mb

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Divide what was spelled out evenly among the nodes; a single node needs no network."""
        apart = (Role.NETWORK_OUT, Role.NETWORK_IN)
        return tuple(
            Phase(
                name,
                {
                    role: data_mb / nodes.count * (smaller(nodes.count - 1.0, 1.0) if role in apart else 1.0)
                    for role, data_mb in flows.items()
                },
            )
            for name, flows in self.spelled
        )

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave."""
        spelled = (
            given(f"workload.phases.{name}.{role.value.replace(' ', '_')}", data_mb, "MB")
            for name, flows in self.spelled
            for role, data_mb in flows.items()
        )
        kept = []
        if self.intermediate_mb > 0.0:
            kept.append(given("workload.intermediate", self.intermediate_mb, "MB"))
        if self.random_io_kib is not None:
            kept.append(given("workload.io", self.random_io_kib, "KiB"))
        return (given("workload.data", self.data_mb, "MB"), *kept, *spelled)


Job = MapReduce | Hdfs | AppendLog | RandomIo | FreePhases

EMR_REPLICATION = ((1, 1), (4, 2), (10, 3))
"""(from how many core nodes on, dfs.replication): what EMR sets where nothing is given.

**Source**: Amazon EMR release guide, "HDFS configuration": 1 below 4 core nodes, 2 below 10, else 3.
"""


def default_replication(nodes: int) -> int:
    """Give the replication factor that EMR sets by itself for a number of core nodes.

    Examples
    --------
    >>> [default_replication(nodes) for nodes in (1, 3, 4, 9, 10)]
    [1, 1, 2, 2, 3]
    """
    return next((copies for fewest, copies in reversed(EMR_REPLICATION) if nodes >= fewest), EMR_REPLICATION[0][1])
