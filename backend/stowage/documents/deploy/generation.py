"""What a family of instance types is, from its name, for types of which a catalogue knows no traits."""

import re

from stowage.documents.deploy.deployment import Processor
from stowage.model.instance import InstanceType

_XEN = "c1 c3 c4 cc1 cc2 cg1 cr1 d2 f1 g2 g3 g3s h1 hi1 hs1 i2 i3 m1 m2 m3 m4 p2 p3 r3 r4 t1 t2 x1 x1e"
BEFORE_NITRO = frozenset(_XEN.split())
"""Families on Xen: those that EC2's guide to instance types does not list among the instances built on the AWS Nitro
System, previous generations among them. No newer family is on Xen, so the list is finished; our tests hold it against
the traits in the newest catalogue, which knows all but those that AWS has withdrawn."""

NVME_BEFORE_NITRO = frozenset({"f1", "i3"})
"""Their disks are there without being asked for (EC2 user guide, "SSD instance store volumes": F1 and I3)."""

_GRAVITON = re.compile(r"a1$|[a-z]+[0-9]+g")
"""A ``g`` behind the generation (EC2 user guide, "Instance type naming conventions")."""


def on_nitro(instance: InstanceType) -> bool:
    """Say whether a type is built on Nitro: by its traits, by its family where none is known."""
    return "nitro" in instance.traits if instance.traits else instance.family not in BEFORE_NITRO


def asks_for_disks(instance: InstanceType) -> bool:
    """Say whether the type's own disks come only where a launch asks for them: those before NVMe."""
    return not on_nitro(instance) and instance.family not in NVME_BEFORE_NITRO


def processor_of(instance: InstanceType) -> Processor:
    """Name what a type runs: by its traits, by its family where none is known."""
    known = instance.traits & {"arm64", "x86_64"}
    if known:
        return "x86_64" if "x86_64" in known else "arm64"
    return "arm64" if _GRAVITON.match(instance.family) else "x86_64"
