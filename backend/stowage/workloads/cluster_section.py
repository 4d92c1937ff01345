"""Cluster sections of a workload file.

They describe the storage, the configuration to predict, and the current cluster with its measured time.
"""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from stowage.fields import Key
from stowage.model.cluster import Ebs, InstanceStore, Layout, ObjectStore
from stowage.platform.written import Disks, Duration, Section, Size, VolumeSize, volume_gib
from stowage.workloads.job_section import OneDurability


class InstanceStoreSection(Section):
    """Storage of all data on instance-store disks.

    Some disks store input and output, the others intermediate data. By default the fastest division is used.
    """

    kind: Literal["instance-store"] = "instance-store"
    input_output_disks: Disks | None = None
    intermediate_disks: Disks | None = None
    """0 where intermediate data shares the input and output disks."""

    def layout(self) -> InstanceStore:
        """Convert the section, whose numbers of disks are given, to the model's type of storage layout."""
        return InstanceStore(self.input_output_disks or 1, self.intermediate_disks or 0)


class VolumesSection(Section):
    """EBS volumes of one type and size."""

    type: Key
    size: VolumeSize
    """Size of each volume."""
    count: Annotated[int, Field(ge=1, le=128, strict=True)]
    """Volumes per node."""
    iops: Annotated[int, Field(ge=1, le=10_000_000, strict=True)] | None = None
    """Provisioned IOPS of each volume, if its type provisions them."""
    throughput_mib_per_s: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] | None = None
    """Provisioned throughput of each volume, if its type provisions it."""

    def layout(self) -> Ebs:
        """Convert the section to the model's type of storage layout."""
        return Ebs(self.type, volume_gib(self.size), self.count, self.iops, self.throughput_mib_per_s)


class EbsSection(VolumesSection):
    """Storage of input and output on EBS volumes, and of intermediate data on instance store."""

    kind: Literal["ebs"]
    first_read_mib_per_s: Annotated[float, Field(ge=0.001, le=1e6, strict=True, allow_inf_nan=False)] | None = None
    """First-read rate of each volume that was restored from a snapshot; unless given, volumes are not restored."""
    intermediate: Literal["instance-store"] = "instance-store"

    def layout(self) -> Ebs:
        """Convert the section to the model's type of storage layout."""
        return replace(super().layout(), first_read_mib_per_s=self.first_read_mib_per_s)


class ObjectStoreSection(Section):
    """Storage of input and output in the object store, and of intermediate data on instance store."""

    kind: Literal["object-store"]

    def layout(self) -> ObjectStore:
        """Convert the section to the model's type of storage layout."""
        return ObjectStore()


StorageSection = InstanceStoreSection | EbsSection | ObjectStoreSection


class NodesSection(Section):
    """Base class of sections that describe the nodes of a cluster."""

    instance: Key
    nodes: Annotated[int, Field(ge=1, le=10_000_000, strict=True)]
    storage: Annotated[StorageSection, Field(discriminator="kind")] = InstanceStoreSection()


class ClusterSection(NodesSection):
    """One configuration of a cluster.

    `predict` requires this section. `plan` finds the configuration itself.
    """

    spares: Annotated[int, Field(ge=0, le=100, strict=True)] = 0
    """Nodes launched in addition to the workers: all are measured, and the slowest are returned."""


class TodaySection(NodesSection):
    """Current cluster, with the measured time of a run on it.

    Predictions with the same framework are scaled to this time.
    """

    time: Duration
    """Time of a run of this workload there, without launch."""
    data: Size
    """Data of that run; the workload may have more."""
    durability: Annotated[OneDurability | None, Field(discriminator="model")] = None
    """Durability of its data. Unless given, as in the workload, with fewer copies where the cluster cannot hold
    them."""


def storage_section(layout: Layout) -> dict[str, Any]:
    """Convert the model's storage layout to a storage section of a workload file."""
    if isinstance(layout, Ebs):
        section = {"kind": "ebs", "type": layout.volume_type, "size": f"{layout.size_gib} GiB", "count": layout.count}
        provisioned = {
            "iops": layout.iops,
            "throughput_mib_per_s": layout.throughput_mib_per_s,
            "first_read_mib_per_s": layout.first_read_mib_per_s,
        }
        return section | {name: value for name, value in provisioned.items() if value is not None}
    if isinstance(layout, InstanceStore):
        return {
            "kind": "instance-store",
            "input_output_disks": layout.input_output_disks,
            "intermediate_disks": layout.intermediate_disks,
        }
    return {"kind": "object-store"}
