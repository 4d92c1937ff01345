"""The space that is searched: instance types x storage layouts x node counts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stowage.model.cluster import (
    Configuration,
    Ebs,
    InstanceStore,
    Layout,
    capacity_groups_mb,
    divisions,
    nodes_needed,
    smallest_volume_gib,
)
from stowage.model.instance import Catalogue, InstanceType, VolumeType
from stowage.model.units import Quantity
from stowage.model.workload import Workload

NODES_WITHOUT_LIMIT = 1_000
"""A type is searched up to this many nodes, or to what capacity needs, where the user sets no limit."""

VOLUMES_PER_NODE = 8
"""EBS volumes of a node: as many as the measurements behind the profiles had (paper, section 4.4.1)."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One instance type with one storage layout: its candidates differ in the node count alone.

    Parameters
    ----------
    instance : InstanceType
    volume : VolumeType or None
        None where everything is on the instance's disks.
    division : InstanceStore or None
        None on EBS, where the size of the volumes follows from the node count.
    needed_nodes : int
        Fewest nodes that hold the job with this layout.
    first_nodes, last_nodes : int
        Node counts of the space, both included: from what the type's most capacious layout needs.
    """

    instance: InstanceType
    volume: VolumeType | None
    division: InstanceStore | None
    needed_nodes: int
    first_nodes: int
    last_nodes: int

    @property
    def size(self) -> int:
        """Count the candidates."""
        return self.last_nodes - self.first_nodes + 1

    def layout(self, workload: Workload, nodes: int) -> Layout:
        """Give the layout at a node count: on EBS the smallest volumes that hold the data."""
        if self.division is not None:
            return self.division
        if self.volume is None:
            raise ValueError("a lane has a division or a volume type")
        size_gib = smallest_volume_gib(workload.job, self.volume, VOLUMES_PER_NODE, nodes)
        return Ebs(self.volume.name, size_gib, VOLUMES_PER_NODE)

    def configuration(self, workload: Workload, nodes: int) -> Configuration:
        """Give one candidate."""
        return Configuration(self.instance.name, nodes, self.layout(workload, nodes))

    def ebs_gib_per_node(self, workload: Workload, nodes: NDArray[np.int64]) -> Quantity:
        """Give the EBS capacity of a node [GiB] at each node count, shape (n,)."""
        if self.division is not None or self.volume is None:
            return 0.0
        volume = self.volume
        sizes = (smallest_volume_gib(workload.job, volume, VOLUMES_PER_NODE, int(count)) for count in nodes)
        return VOLUMES_PER_NODE * np.fromiter(sizes, dtype=np.float64, count=nodes.size)


def lanes(workload: Workload, catalogue: Catalogue, last_nodes: int) -> Iterator[Lane]:
    """List the lanes of the space in a fixed order: by type, then by volume type or division.

    Parameters
    ----------
    workload : Workload
        Its durability decides between the instance's disks and EBS.
    catalogue : Catalogue
    last_nodes : int
        Where a type needs more for capacity, the space holds the one node count that it needs: it
        can be rejected for that, instead of being left out in silence.
    """
    for name in sorted(catalogue.instance_types):
        instance = catalogue.instance_types[name]
        layouts = tuple(_layouts(workload, catalogue, instance))
        if not layouts:
            continue
        first = min(needed for _, _, needed in layouts)
        for volume, division, needed in layouts:
            yield Lane(instance, volume, division, needed, first, max(first, last_nodes))


def _layouts(
    workload: Workload, catalogue: Catalogue, instance: InstanceType
) -> Iterator[tuple[VolumeType | None, InstanceStore | None, int]]:
    """Pair each layout of a type with the fewest nodes that hold the job."""
    disks = int(instance.disk_count.value)
    if disks < 1:
        return
    job, capacity = workload.job, workload.assume.capacity
    if job.durability.model == "infrastructure":
        for name in sorted(catalogue.volume_types):
            volume = catalogue.volume_types[name]
            largest = Ebs(name, int(volume.largest_gib.value), VOLUMES_PER_NODE)
            groups = capacity_groups_mb(largest, instance, job, capacity)
            yield volume, None, nodes_needed(groups, job.durability.replicas)
        return
    for division in divisions(disks):
        groups = capacity_groups_mb(division, instance, job, capacity)
        yield None, division, nodes_needed(groups, job.durability.replicas)
