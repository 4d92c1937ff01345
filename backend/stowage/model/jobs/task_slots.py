"""Task slots: the number of tasks that a node runs at once, and their memory for sorting."""

from datetime import date

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number, given
from stowage.model.hardware.instance import InstanceType
from stowage.model.infeasible import Infeasible
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import Quantity, longer, smaller

SORT_MEMORY = Number("sort_memory", 0.5, "1").estimated(
    "Assumed: half of a node's memory holds the partitions being sorted; the rest is the system's and buffers",
    date(2026, 11, 20),
)
"""Share of a node's memory in which partitions are sorted."""


@frozen
class TaskSlots:
    """Task slots of a node, which limit the tasks that it runs at once.

    In Spark, they are executors times cores; in YARN, they are containers. A node runs as many tasks at once as
    requested, but never more than fit in its memory: YARN starts no container, and Spark no executor, for which the
    memory is too small. So a node with little memory runs fewer tasks.
    """

    per_node: int | None = None
    """Tasks that a node runs at once, at least 1; None for one task on each vCPU."""
    memory_mb: float | None = None
    """Memory in which a task sorts before it spills [MB], above 0; None if tasks share the sorting memory of the node
    (`SORT_MEMORY`)."""

    def at_once(self, vcpus: Quantity, memory_mb: Quantity) -> Quantity:
        """Return the number of tasks that a node runs at once, at least 1.

        Parameters
        ----------
        vcpus, memory_mb : float or array
            vCPUs [1] and memory [MB] of the node.

        Examples
        --------
        >>> TaskSlots(8, 2_000.0).at_once(16.0, 32_000.0), TaskSlots(8, 4_000.0).at_once(16.0, 32_000.0)
        (8.0, 4.0)
        """
        asked = vcpus if self.per_node is None else float(self.per_node)
        return asked if self.memory_mb is None else longer(smaller(asked, self._held(memory_mb)), 1.0)

    def computing(self, vcpus: Quantity, memory_mb: Quantity) -> Quantity:
        """Return the number of a node's vCPUs that have a task.

        More tasks than vCPUs compute no faster.
        """
        return smaller(self.at_once(vcpus, memory_mb), vcpus)

    def room_mb(self, vcpus: Quantity, memory_mb: Quantity) -> Quantity:
        """Return the memory in which a task sorts before it spills [MB]."""
        if self.memory_mb is not None:
            return self.memory_mb
        return memory_mb * SORT_MEMORY.value / self.at_once(vcpus, memory_mb)

    def obstacle(self, instance: InstanceType) -> Infeasible | None:
        """Return the reason why an instance type cannot run a task.

        The result is None if its memory is large enough for one task.
        """
        memory_gib = instance.memory_gib.value
        if self.memory_mb is None or self._held(memory_gib * MB_PER_GIB) >= 1.0:
            return None
        task_gib = self.memory_mb / MB_PER_GIB
        return Infeasible(
            "task memory",
            f"{SORT_MEMORY.value:.0%} of the {memory_gib:,.4g} GiB of {instance.name} is less than the "
            f"{task_gib:,.4g} GiB in which a task sorts",
            f"a type with {task_gib / SORT_MEMORY.value:,.4g} GiB of memory or more",
        )

    @property
    def asked(self) -> Figure | None:
        """Return the number of tasks that a node runs at once, as given by the user.

        The result is None if the user gave no number.
        """
        return None if self.per_node is None else given("workload.tasks_per_node", float(self.per_node), "1")

    def figures(self) -> tuple[Figure, ...]:
        """List the figures that the user gave."""
        memory = None if self.memory_mb is None else given("workload.memory_per_task", self.memory_mb, "MB")
        return tuple(figure for figure in (self.asked, memory) if figure is not None)

    def _held(self, memory_mb: Quantity) -> Quantity:
        """Return the number of tasks that fit in the memory of a node."""
        each_mb = 1.0 if self.memory_mb is None else self.memory_mb
        # Rounding may move a whole quotient just below the whole number: the tolerance restores it.
        held = memory_mb * SORT_MEMORY.value / each_mb + 1e-9
        return np.floor(held) if isinstance(held, np.ndarray) else float(np.floor(held))


ONE_PER_VCPU = TaskSlots()
"""A task on each vCPU; all share the sorting memory of the node."""
