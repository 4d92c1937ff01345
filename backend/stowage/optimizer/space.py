"""The space that is searched: instance types x storage layouts x node counts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stowage.model.catalogue import Catalogue, VolumeType
from stowage.model.cluster import (
    Configuration,
    Ebs,
    InstanceStore,
    Layout,
    ObjectStore,
    capacity_groups_mb,
    divisions,
    nodes_needed,
    smallest_volume_gib,
)
from stowage.model.instance import InstanceType
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
    workload : Workload
        With the number of copies that holds at these node counts.
    volume : VolumeType or None
        None where nothing is on EBS.
    fixed : InstanceStore, ObjectStore or None
        None on EBS, where the size of the volumes follows from the node count.
    needed_nodes : int
        Fewest nodes that hold the job with this layout.
    first_nodes, last_nodes : int
        Node counts of the space, both included: from what the type's most capacious layout needs.
    """

    instance: InstanceType
    workload: Workload
    volume: VolumeType | None
    fixed: InstanceStore | ObjectStore | None
    needed_nodes: int
    first_nodes: int
    last_nodes: int

    @property
    def size(self) -> int:
        """Count the candidates."""
        return self.last_nodes - self.first_nodes + 1

    def layout(self, nodes: int) -> Layout:
        """Give the layout at a node count: on EBS the smallest volumes that hold the data."""
        if self.fixed is not None:
            return self.fixed
        if self.volume is None:
            raise ValueError("a lane has a fixed layout or a volume type")
        size_gib = smallest_volume_gib(self.workload.job, self.volume, VOLUMES_PER_NODE, float(nodes))
        return Ebs(self.volume.name, int(size_gib), VOLUMES_PER_NODE)

    def configuration(self, nodes: int) -> Configuration:
        """Give one candidate."""
        return Configuration(self.instance.name, nodes, self.layout(nodes))

    def volume_gib(self, nodes: NDArray[np.int64]) -> Quantity | None:
        """Give the size of each volume [GiB] at each node count, shape (n,); None where nothing is on EBS."""
        if self.volume is None:
            return None
        return smallest_volume_gib(self.workload.job, self.volume, VOLUMES_PER_NODE, nodes.astype(np.float64))


def lanes(workload: Workload, catalogue: Catalogue, last_nodes: int) -> Iterator[Lane]:
    """List the lanes of the space in a fixed order: by type, then by volume type or division.

    Parameters
    ----------
    workload : Workload
        Its durability decides between the instance's disks, EBS and the object store.
    catalogue : Catalogue
    last_nodes : int
        Where a type needs more for capacity, the space holds the one node count that it needs: it
        can be rejected for that, instead of being left out in silence.
    """
    for name in sorted(catalogue.instance_types):
        instance = catalogue.instance_types[name]
        ranges = workload.by_replication(last_nodes)
        for position, (of_range, first, last) in enumerate(ranges):
            layouts = tuple(_layouts(of_range, catalogue, instance))
            if not layouts:
                continue
            needed_at_least = max(first, min(needed for _, _, needed in layouts))
            # Only the last range goes on to what capacity needs; the others end where another number of copies begins.
            ends = max(needed_at_least, last) if position == len(ranges) - 1 else last
            if needed_at_least > ends:
                continue
            for volume, fixed, needed in layouts:
                yield Lane(instance, of_range, volume, fixed, needed, needed_at_least, ends)


def _layouts(
    workload: Workload, catalogue: Catalogue, instance: InstanceType
) -> Iterator[tuple[VolumeType | None, InstanceStore | ObjectStore | None, int]]:
    """Pair each layout of a type with the fewest nodes that hold the job."""
    disks = int(instance.disk_count.value)
    job, capacity = workload.job, workload.assume.capacity
    model, copies = job.durability.model, job.durability.replicas
    if disks < 1 and (job.intermediate_mb > 0.0 or model in {"none", "application"}):
        return
    if model == "infrastructure":
        for name in sorted(catalogue.volume_types):
            volume = catalogue.volume_types[name]
            if not volume.searched:
                continue
            largest = Ebs(name, int(volume.limits.largest_gib.value), VOLUMES_PER_NODE)
            yield volume, None, nodes_needed(capacity_groups_mb(largest, instance, job, capacity), copies)
        return
    if model == "object-store":
        store = ObjectStore()
        yield None, store, nodes_needed(capacity_groups_mb(store, instance, job, capacity), copies)
        return
    for division in divisions(disks, intermediate=job.intermediate_mb > 0.0):
        yield None, division, nodes_needed(capacity_groups_mb(division, instance, job, capacity), copies)
