"""Random reads and writes of one size."""

from dataclasses import field
from typing import ClassVar, Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure, given
from stowage.model.jobs.flows import Durability, Nodes, Phase, Role
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import Quantity


@frozen
class Latency:
    """Latency of an I/O, by Little's law."""

    io_per_s: float
    """I/Os of one node [1/s]."""
    mean_s: float
    """Mean latency: queue depth / I/Os per second, at the rate that the limits allow [s]. With a short queue, a device
    may not reach this rate."""


@frozen
class RandomIo:
    """One job of random reads and writes of one size."""

    data_mb: float
    """Total data read and written [MB], above 0."""
    io_kib: float
    """Size of one I/O [KiB]."""
    read_share: float = 0.5
    """Share of reads among the I/Os [1], 0 to 1."""
    queue_depth: float = 1.0
    """Outstanding I/Os on each node; at least 1."""
    working_set_mb: float = 0.0
    """Stored data over which the I/Os are spread [MB]."""
    durability: Durability = field(default_factory=Durability)

    kind: ClassVar[Literal["random-io"]] = "random-io"
    intermediate_mb: ClassVar[float] = 0.0
    default_copies: ClassVar[bool] = False
    skewed_mb: ClassVar[tuple[float, float]] = (0.0, 0.0)
    stays: ClassVar[bool] = True

    @property
    def random_io_kib(self) -> float:
        """Size of one I/O [KiB]."""
        return self.io_kib

    @property
    def input_output_mb(self) -> float:
        """Size of all copies of the working set [MB]."""
        return self.durability.replicas * max(self.working_set_mb, self.io_kib * MB_PER_MIB / 1024.0)

    @property
    def operations(self) -> float:
        """Total number of I/Os [1]."""
        return self.data_mb / (self.io_kib * MB_PER_MIB / 1024.0)

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the only phase of the job.

        Each write goes to every copy of the data.
        """
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
        """List the figures that the user gave."""
        figures = [given("workload.data", self.data_mb, "MB"), given("workload.io", self.io_kib, "KiB")]
        figures.append(given("workload.working_set", self.working_set_mb, "MB"))
        figures += self.durability.figures()
        return tuple(figures)
