"""Launch settings that depend on the generation of an instance type."""

from stowage.documents.deploy.deployment import Processor
from stowage.model.hardware.instance import InstanceType

NVME_BEFORE_NITRO = frozenset({"f1", "i3"})
"""Families whose disks are attached without a mapping (EC2 user guide, "SSD instance store volumes": F1 and I3)."""


def asks_for_disks(instance: InstanceType) -> bool:
    """Return whether instance-store disks are attached only if the launch maps them, as on types older than NVMe."""
    return not instance.on_nitro and instance.family not in NVME_BEFORE_NITRO


def processor_of(instance: InstanceType) -> Processor:
    """Return the processor architecture of the machine image for an instance type."""
    return "x86_64" if "x86_64" in instance.architectures else "arm64"
