"""Block devices of a node, by their EC2 device names."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from stowage.documents.deploy.deployment import Deployment
from stowage.frozen import frozen

ROOT_DEVICE = "/dev/xvda"
"""Root device of Amazon Linux 2023."""

ROOT_GIB = 32

RECOMMENDED = tuple(f"/dev/sd{letter}" for letter in "fghijklmnop")
"""Device names recommended for volumes (EC2 user guide, "Device names for volumes"); Nitro names the disks itself."""

MANY = (
    *(f"/dev/xvd{first}{second}" for first in "abcd" for second in ascii_lowercase),
    *(f"/dev/xvd{letter}" for letter in ascii_lowercase[4:]),
    "/dev/sdb",
)
"""Other available names, from the same page; enough for 127 volumes in addition to the root."""


MOST_EPHEMERAL = 24
"""Most instance-store mappings: ephemeral0 to ephemeral23 (EC2 user guide, "Instance store temporary block storage"),
sdb to sdy."""


@frozen
class Device:
    """One block device."""

    name: str
    """Device name, like `/dev/sdf`."""
    volume: dict[str, Any] | None
    """EBS volume, in the terms of EC2's API, without `DeleteOnTermination`; None for an instance-store disk."""
    virtual: str | None = None
    """Virtual name of an instance-store disk, like `ephemeral0`; None for an EBS volume."""
    kept: bool = False
    """Whether the volume holds data that may outlive its node."""


def devices(deployment: Deployment, *, primary: bool = False) -> Sequence[Device]:
    """List the block devices of a node; the primary has only a root volume."""
    root = {"VolumeType": "gp3", "VolumeSize": ROOT_GIB, "Encrypted": True}
    found = [Device(ROOT_DEVICE, root)]
    if primary:
        return found
    if deployment.ephemeral_mapping:
        # Unused disks too: a disk that the launch does not map is never attached.
        disks = min(deployment.local_disks, MOST_EPHEMERAL)
        found += [Device(f"/dev/sd{ascii_lowercase[n + 1]}", None, f"ephemeral{n}") for n in range(disks)]
    volumes = deployment.volumes
    if volumes is not None:
        volume: dict[str, Any] = {"VolumeType": volumes.volume_type, "VolumeSize": volumes.size_gib, "Encrypted": True}
        if volumes.iops is not None:
            volume["Iops"] = volumes.iops
        if volumes.throughput_mib_per_s is not None:
            volume["Throughput"] = volumes.throughput_mib_per_s
        taken = {device.name for device in found}
        few = tuple(name for name in RECOMMENDED if name not in taken)
        names = few if volumes.count <= len(few) else MANY
        found += [Device(name, volume, kept=True) for name in names[: volumes.count]]
    return found
