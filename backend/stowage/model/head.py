"""The type of the node that holds no data: HDFS' NameNode, or EMR's primary."""

from collections.abc import Mapping
from datetime import date

from stowage.model.figure import Figure
from stowage.model.instance import InstanceType
from stowage.model.workload import Workload

GENERAL_FAMILIES = ("m5", "m6i", "m6g", "m7i", "m7g", "m8g", "m4", "m3")
"""Families of general-purpose types, the first of them that a region sells."""
GENERAL_SIZES = ("xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge")
"""Their sizes, the smallest of them whose memory holds the blocks."""

GENERAL_HEAD = Figure(
    "place.primary",
    1.0,
    "1",
    "Amazon EMR Management Guide, Configure Amazon EMR cluster instance types: the primary node needs little; "
    "m5.xlarge for clusters of 50 or fewer nodes, a larger type for larger ones. Assumed of HDFS' NameNode as well",
    "published",
    date(2026, 11, 23),
)
"""That the node without data is of a small general-purpose type [nodes]."""


def head_of(workload: Workload, instance: InstanceType, types: Mapping[str, InstanceType]) -> InstanceType:
    """Return the type of the node that holds no data.

    Parameters
    ----------
    workload : Workload
    instance : InstanceType
        Of the workers.
    types : Mapping[str, InstanceType]
        All that a region sells, by name.

    Raises
    ------
    KeyError
        No type of the name that the workload gives is there.
    """
    return shared_head(workload, types) or instance


def shared_head(workload: Workload, types: Mapping[str, InstanceType]) -> InstanceType | None:
    """Return the type of that node where it is the same for all types of workers; None where it is of theirs.

    Of general-purpose types it is the smallest whose memory holds the blocks; where none does, or none has a price, it
    is of the workers' type.
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
