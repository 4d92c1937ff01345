"""What a launch must say of a type because of its generation."""

from stowage.documents.deploy.deployment import Processor
from stowage.model.hardware.instance import InstanceType

NVME_BEFORE_NITRO = frozenset({"f1", "i3"})
"""Their disks are there without being asked for (EC2 user guide, "SSD instance store volumes": F1 and I3)."""


def asks_for_disks(instance: InstanceType) -> bool:
    """Say whether the type's own disks come only where a launch asks for them: those before NVMe."""
    return not instance.on_nitro and instance.family not in NVME_BEFORE_NITRO


def processor_of(instance: InstanceType) -> Processor:
    """Name what a type's image is built for."""
    return "x86_64" if "x86_64" in instance.architectures else "arm64"
