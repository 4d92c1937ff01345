"""Jobs whose phases the user specifies."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure, given
from stowage.model.jobs.flows import INTERMEDIATE, Durability, Nodes, Phase, Role
from stowage.model.units import smaller


@frozen
class FreePhases:
    """One job whose phases the user specifies."""

    data_mb: float
    """Data on input and output storage [MB], above 0."""
    spelled: tuple[tuple[str, Mapping[Role, float]], ...]
    """Name of each phase and its flows over the whole cluster [MB]."""
    intermediate_mb: float = 0.0
    """Data on intermediate storage [MB]; at least the amount that one phase writes or reads there."""
    random_io_kib: float | None = None
    """Size of one I/O of random flows [KiB]."""
    durability: Durability = field(default_factory=Durability)

    kind: ClassVar[Literal["phases"]] = "phases"
    default_copies: ClassVar[bool] = False
    skewed_mb: ClassVar[tuple[float, float]] = (0.0, 0.0)
    stays: ClassVar[bool] = False

    def __post_init__(self) -> None:
        moved = (flows.get(role, 0.0) for _, flows in self.spelled for role in INTERMEDIATE)
        object.__setattr__(self, "intermediate_mb", max((self.intermediate_mb, *moved)))

    @property
    def input_output_mb(self) -> float:
        """Data on input and output storage [MB]."""
        return self.data_mb

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the phases of the job.

        The user's flows are divided evenly among the nodes. A single node has no network flows.
        """
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
        """List the figures that the user gave."""
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
