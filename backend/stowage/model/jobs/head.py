"""Choice of the instance type of a cluster's head node.

The head node stores no data. It is HDFS' NameNode or EMR's primary node.
"""

from collections.abc import Mapping
from datetime import date

from stowage.model.figure import Number
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.workload import Workload

GENERAL_FAMILIES = ("m5", "m6i", "m6g", "m7i", "m7g", "m8g", "m4", "m3")
"""Families of general-purpose types in order of preference; the first one that the region offers is chosen."""
GENERAL_SIZES = ("xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge")
"""Sizes in ascending order; the smallest one whose memory holds the blocks is chosen."""

GENERAL_HEAD = Number("place.primary", 1.0, "1").published(
    "Amazon EMR Management Guide, Configure Amazon EMR cluster instance types: the primary node needs little; "
    "m5.xlarge for clusters of 50 or fewer nodes, a larger type for larger ones. Assumed of HDFS' NameNode as well",
    date(2026, 11, 23),
)
"""Assumption that the head node has a small general-purpose type [nodes]."""


def head_of(workload: Workload, instance: InstanceType, types: Mapping[str, InstanceType]) -> InstanceType:
    """Return the instance type of the head node.

    Parameters
    ----------
    workload : Workload
    instance : InstanceType
        Type of the workers.
    types : Mapping[str, InstanceType]
        Types that the region offers, by name.

    Raises
    ------
    KeyError
        The region does not offer the type that the workload names.
    """
    return shared_head(workload, types) or instance


def shared_head(workload: Workload, types: Mapping[str, InstanceType]) -> InstanceType | None:
    """Return the head node's type if it does not depend on the workers' type.

    The type is the one that the workload names or, by default, the smallest general-purpose type with enough memory for
    the blocks. The result is None if the head node has the type of the workers. This is also the case if no
    general-purpose type with enough memory has a price.
    """
    place = workload.place
    if place.primary is not None:
        return types[place.primary]
    if place.head == "workers":
        return None
    names = (f"{family}.{size}" for size in GENERAL_SIZES for family in GENERAL_FAMILIES)
    sold = (types[name] for name in names if name in types)
    return next(
        (one for one in sold if one.usd_per_hour is not None and one.memory_gib.value >= workload.head_memory_gib),
        None,
    )
