"""Append-only logs, and the page cache that buffers them."""

from dataclasses import field
from datetime import date
from typing import ClassVar, Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number, given
from stowage.model.jobs.flows import Durability, Nodes, Phase, Role
from stowage.model.units import Quantity, longer

Fsync = Literal["always", "every second", "never", "at the end"]


DIRTY_RATIO = Number("dirty_ratio", 0.15, "1").published(
    "Linux, Documentation/admin-guide/sysctl/vm.rst: vm.dirty_ratio 20 and vm.dirty_background_ratio 10 percent of "
    "available memory by default; writers are slowed from half-way between the two (mm/page-writeback.c)",
    date(2026, 11, 20),
)
"""Share of the memory available to the page cache that dirty pages fill before the writer waits for the disk."""


@frozen
class AppendLog:
    """One append-only log, such as Redis' append-only file."""

    data_mb: float
    """Data that is appended [MB], above 0."""
    record_kib: float
    """Size of one record [KiB]."""
    fsync: Fsync = "every second"
    """"always" waits for the disk after each record. "every second" and "never" buffer records in the page cache; the
    time ends when the client has written all records. With "at the end" it ends when all data is on disk."""
    in_memory: float = 0.0
    """Share of the appended data that the program also keeps in memory [1], 0 to 1; the page cache cannot use this
    memory."""
    snapshot: bool = False
    """Whether the data in memory is written once more at the end."""
    durability: Durability = field(default_factory=Durability)

    kind: ClassVar[Literal["append-log"]] = "append-log"
    intermediate_mb: ClassVar[float] = 0.0
    default_copies: ClassVar[bool] = False
    skewed_mb: ClassVar[tuple[float, float]] = (0.0, 0.0)
    stays: ClassVar[bool] = True

    @property
    def random_io_kib(self) -> float | None:
        """Size of an I/O that is never merged with others [KiB].

        It is the size of a record if each record is synced, else None.
        """
        return self.record_kib if self.fsync == "always" else None

    @property
    def input_output_mb(self) -> float:
        """Size of all copies of the log and of the snapshot [MB]."""
        return self.durability.replicas * (self.data_mb + self._snapshot_mb)

    @property
    def _cached(self) -> bool:
        return self.fsync in {"every second", "never"}

    @property
    def _snapshot_mb(self) -> float:
        return self.data_mb * self.in_memory if self.snapshot else 0.0

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the phases of the job.

        Notes
        -----
        The page cache acts like burst credit of the disk: the writer waits only once dirty data exceeds `DIRTY_RATIO`
        of the memory that programs do not use. **Source**: see `DIRTY_RATIO`.
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
        """List the figures that the user gave."""
        figures = [given("workload.data", self.data_mb, "MB")]
        if self.fsync == "always":
            figures.append(given("workload.record", self.record_kib, "KiB"))
        if self.in_memory > 0.0 and (self.snapshot or self._cached):
            figures.append(given("workload.in_memory", self.in_memory, "1"))
        figures += self.durability.figures()
        return tuple(figures)
