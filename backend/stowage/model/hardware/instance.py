"""EC2 instance types, as listed in a catalog."""

import re
from collections.abc import Mapping
from typing import Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure
from stowage.model.infeasible import Infeasible
from stowage.model.money.price import Purchase

Media = Literal["ssd", "hdd"]

Trait = Literal["nitro", "bare metal", "burstable", "previous generation", "accelerators", "arm64", "x86_64"]
"""Feature of a type besides its figures. "burstable": its CPUs run at a baseline, above it on credit."""

_XEN = "c1 c3 c4 cc1 cc2 cg1 cr1 d2 f1 g2 g3 g3s h1 hi1 hs1 i2 i3 m1 m2 m3 m4 p2 p3 r3 r4 t1 t2 x1 x1e"
BEFORE_NITRO = frozenset(_XEN.split())
"""Families on Xen: those that EC2's guide to instance types does not list as built on the AWS Nitro System
(2026-11-20), including previous generations. No newer family is on Xen, so the list is complete. Our tests compare it
with the traits in the newest catalog, which lists all families but those that AWS has withdrawn."""

_GRAVITON = re.compile(r"a1$|[a-z]+[0-9]+g")
"""A ``g`` behind the generation (EC2 user guide, "Instance type naming conventions", 2026-11-20)."""

PRICES = ("usd_per_hour", "ebs_usd_per_hour", "spot_usd_per_hour", "one_year_usd_per_hour", "three_year_usd_per_hour")
"""Figures of a type that differ between regions; all others describe the hardware."""

PRICE_OF: Mapping[Purchase, str] = {
    "on-demand": "usd_per_hour",
    "spot": "spot_usd_per_hour",
    "1-year": "one_year_usd_per_hour",
    "3-year": "three_year_usd_per_hour",
}
"""Figure of a type that is its price, by purchase option."""


@frozen
class InstanceType:
    """One EC2 instance type with its hardware and prices.

    Its measured performance is in `Profiles`.
    """

    name: str
    vcpus: Figure
    """Virtual CPUs [1]."""
    memory_gib: Figure
    """Memory [GiB]."""
    disk_count: Figure
    """Number of local disks [1]; 0 for a type without local disks."""
    disk_size_gb: Figure | None
    """Capacity of one local disk [GB]."""
    disk_media: Media | None
    placement_group: bool
    """Whether the type can be launched into a cluster placement group."""
    usd_per_hour: Figure | None
    """On-demand price [USD/h]."""
    ebs_usd_per_hour: Figure | None
    """Surcharge for a dedicated EBS link [USD/h]; None if unknown."""
    gaps: Mapping[str, str]
    """Unknown quantities of the type, and why each is unknown."""
    ebs_baseline_mb_per_s: Figure | None = None
    """Rate that the type's EBS link sustains [MB/s]."""
    ebs_maximum_mb_per_s: Figure | None = None
    """Rate that the type's EBS link reaches for at least 30 minutes a day [MB/s]."""
    ebs_baseline_iops: Figure | None = None
    """I/O rate that the EBS link sustains [1/s]."""
    ebs_maximum_iops: Figure | None = None
    """I/O rate that the EBS link reaches for at least 30 minutes a day [1/s]."""
    network_baseline_mb_per_s: Figure | None = None
    """Sustained network rate in each direction [MB/s]."""
    network_peak_mb_per_s: Figure | None = None
    """Network rate in each direction for a limited time [MB/s]."""
    most_volumes: Figure | None = None
    """EBS volumes that can be attached, including the root volume [1]."""
    spot_usd_per_hour: Figure | None = None
    """Spot price [USD/h]. It is an average, as spot prices vary."""
    one_year_usd_per_hour: Figure | None = None
    """Price under a one-year commitment [USD/h]: all payments divided by all hours of the term."""
    three_year_usd_per_hour: Figure | None = None
    """Price under a three-year commitment [USD/h]: all payments divided by all hours of the term."""
    cpu_baseline_share: Figure | None = None
    """Sustained share of each vCPU of a burstable type [1]; None for types that sustain their whole vCPUs."""
    traits: frozenset[Trait] = frozenset()

    @property
    def family(self) -> str:
        """Family: ``i2`` of ``i2.8xlarge``."""
        return self.name.partition(".")[0]

    @property
    def size(self) -> str:
        """Size: ``8xlarge`` of ``i2.8xlarge``."""
        return self.name.partition(".")[2]

    @property
    def architectures(self) -> frozenset[str]:
        """Processor architectures of the type.

        They come from its traits, or from its family if the traits name no architecture.
        """
        assumed = {"arm64" if _GRAVITON.match(self.family) else "x86_64"}
        return self.traits & {"arm64", "x86_64"} or frozenset(assumed)

    @property
    def on_nitro(self) -> bool:
        """Return whether the type is built on Nitro.

        The answer comes from its traits, or from its family if the type has no traits.
        """
        return "nitro" in self.traits if self.traits else self.family not in BEFORE_NITRO

    def price(self, purchase: Purchase) -> Figure | Infeasible:
        """Return the price of an hour under a purchase option [USD/h]."""
        offered: dict[str, Figure | None] = {option: getattr(self, name) for option, name in PRICE_OF.items()}
        price = offered[purchase]
        if price is not None:
            return price
        known = ", ".join(option for option, figure in offered.items() if figure is not None)
        return Infeasible("price unknown", f"no {purchase} price is known", known or None)
