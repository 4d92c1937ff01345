"""HDFS jobs: writing files and reading them."""

from dataclasses import field, replace
from datetime import date
from typing import ClassVar, Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number, given
from stowage.model.jobs.flows import Durability, Nodes, Phase, Role
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import Quantity, smaller

REPLICATION_OF_EMR = Number("emr_replication", 3.0, "1").published(
    "Amazon EMR release guide, HDFS configuration: dfs.replication is 1 below 4 core nodes, 2 below 10, else 3",
    date(2026, 11, 20),
)
"""Default replication factor of EMR's HDFS; it depends on the size of the cluster (`default_replication`)."""


REPLICATION_OF_HADOOP = Number("hadoop_replication", 3.0, "1").published(
    "Apache Hadoop, hdfs-default.xml: dfs.replication is 3", date(2026, 11, 23)
)
"""Default replication factor of HDFS on plain EC2."""

EMR_REPLICATION = ((1, 1), (4, 2), (10, 3))
"""(fewest core nodes, dfs.replication): defaults of EMR.

**Source**: Amazon EMR release guide, "HDFS configuration": 1 below 4 core nodes, 2 below 10, else 3.
"""


def default_replication(nodes: int) -> int:
    """Return EMR's default replication factor for a number of core nodes.

    Examples
    --------
    >>> [default_replication(nodes) for nodes in (1, 3, 4, 9, 10)]
    [1, 1, 2, 2, 3]
    """
    return next((copies for fewest, copies in reversed(EMR_REPLICATION) if nodes >= fewest), EMR_REPLICATION[0][1])


@frozen
class Hdfs:
    """One job that writes files to HDFS, or reads them."""

    kind: Literal["hdfs-write", "hdfs-read"]
    data_mb: float
    """Size of one copy of the files [MB], above 0."""
    durability: Durability = field(default_factory=lambda: Durability("application", 3))
    """`durability.replicas` is the replication factor f; EMR's default is `default_replication`."""
    block_mb: float = 128 * MB_PER_MIB
    """Size of a block [MB]."""
    local_share: float = 1.0
    """Share of the data that a reader reads from its own disks [1], 0 to 1."""
    default_copies: bool = False
    """Whether EMR's default replication factor for the cluster size applies, because the user gave no factor."""
    hadoop_copies: bool = False
    """Whether Hadoop's default replication factor applies, because the user gave no factor (`with_hadoop_copies`)."""

    random_io_kib: ClassVar[None] = None
    intermediate_mb: ClassVar[float] = 0.0
    skewed_mb: ClassVar[tuple[float, float]] = (0.0, 0.0)
    stays: ClassVar[bool] = True

    @property
    def input_output_mb(self) -> float:
        """Size of all copies of the files [MB]."""
        return self.durability.replicas * self.data_mb

    @property
    def blocks(self) -> float:
        """Return the number of blocks of the files, not counting copies."""
        return self.data_mb / self.block_mb

    def with_hadoop_copies(self) -> "Hdfs":
        """Return the job with Hadoop's default replication factor."""
        copies = int(REPLICATION_OF_HADOOP.value)
        kept = replace(self.durability, replicas=copies)
        return replace(self, durability=kept, default_copies=False, hadoop_copies=True)

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the only phase of the job.

        Notes
        -----
        **Source**: HDFS architecture guide, "Replica placement" and "Replication pipelining": the first copy
        of a block is local to its writer; each of the f - 1 other copies crosses the network once.
        """
        share_mb = self.data_mb / nodes.count
        if self.kind == "hdfs-read":
            flows: dict[Role, Quantity] = {Role.INPUT_READ: share_mb, Role.CPU: share_mb}
            if self.local_share < 1.0:
                # Blocks that are not local come from another node; a single node has all blocks.
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
        """List the figures of the job.

        The user gave them, or EMR or Hadoop sets them by default.
        """
        figures = [given("workload.data", self.data_mb, "MB")]
        copies = float(self.durability.replicas)
        if self.default_copies:
            figures.append(replace(REPLICATION_OF_EMR, value=copies))
        elif self.hadoop_copies:
            figures.append(REPLICATION_OF_HADOOP)
        else:
            figures.append(given("workload.replication", copies, "1"))
        if self.kind == "hdfs-read" and self.local_share < 1.0:
            figures.append(given("workload.local_share", self.local_share, "1"))
        return tuple(figures)
