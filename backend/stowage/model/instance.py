"""EC2 instance types and EBS volume types as a catalogue knows them, and the catalogue itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from stowage.model.figure import Figure

Media = Literal["ssd", "hdd"]


@dataclass(frozen=True, slots=True)
class InstanceType:
    """An EC2 instance type: hardware and price; what it achieves is in its profiles.

    Parameters
    ----------
    name : str
    vcpus, memory_gib : Figure
        Virtual CPUs [1], memory [GiB].
    disk_count : Figure
        Local disks [1]; 0 where the type has none.
    disk_size_gb : Figure or None
        Capacity of one local disk [GB].
    disk_media : {"ssd", "hdd"} or None
    placement_group : bool
        Whether the type can be launched into a cluster placement group.
    usd_per_hour : Figure or None
        On-demand price [USD/h].
    ebs_usd_per_hour : Figure or None
        Surcharge for a dedicated EBS link [USD/h]; None where unknown.
    gaps : Mapping[str, str]
        What is not known of the type, and why.
    """

    name: str
    vcpus: Figure
    memory_gib: Figure
    disk_count: Figure
    disk_size_gb: Figure | None
    disk_media: Media | None
    placement_group: bool
    usd_per_hour: Figure | None
    ebs_usd_per_hour: Figure | None
    gaps: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VolumeType:
    """An EBS volume type, as far as capacity, price and loss go.

    Parameters
    ----------
    name : str
    smallest_gib, largest_gib : Figure
        Range of sizes of one volume [GiB].
    usd_per_gib_month : Figure
        Price of capacity [USD per GiB and month of 730 h].
    annual_failure_rate : Figure
        Chance that a volume is lost within a year [1/a].
    """

    name: str
    smallest_gib: Figure
    largest_gib: Figure
    usd_per_gib_month: Figure
    annual_failure_rate: Figure


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Instance types, volume types and prices of one date; immutable, named by its version.

    Parameters
    ----------
    version : str
    title : str
    as_of : date
    region : str
        The region that the prices hold for.
    instance_types : Mapping[str, InstanceType]
    volume_types : Mapping[str, VolumeType]
    """

    version: str
    title: str
    as_of: date
    region: str
    instance_types: Mapping[str, InstanceType]
    volume_types: Mapping[str, VolumeType]
