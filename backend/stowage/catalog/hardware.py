"""Instance types, converted from EC2's DescribeInstanceTypes."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from stowage.catalog.units import INSTANCE_UNITS
from stowage.frozen import frozen
from stowage.model.figure import Figure, Kind
from stowage.model.hardware.catalog import instance_type
from stowage.model.hardware.instance import InstanceType, Media, Trait

DESCRIBED = "EC2 DescribeInstanceTypes"
"""Source of figures from a live answer of AWS. A recorded answer has its own source text."""

LINK_INCLUDED, LINK_AT_EXTRA_COST = "default", "supported"
"""Values of `EbsOptimizedSupport` about the price of the link."""

_MB_PER_S_PER_GBIT_PER_S = 125.0
_MIB_PER_GIB = 1024.0
_ROUNDING = 1.02

_BURSTABLE_AS_OF = date(2026, 11, 20)
_BURSTABLE_SOURCE = (
    "EC2 user guide, Key concepts for burstable performance instances, baseline utilization per vCPU; "
    "taken over on this day"
)
_BASELINE_SHARES = {
    "t2": (0.05, 0.10, 0.20, 0.20, 0.30, 0.225, 0.17),
    **dict.fromkeys(("t3", "t3a", "t4g"), (0.05, 0.10, 0.20, 0.20, 0.30, 0.40, 0.40)),
}
_SIZES = ("nano", "micro", "small", "medium", "large", "xlarge", "2xlarge")

_MOST_OF_A_WORD_GBIT_PER_S = 2.0
_A_WORD = (
    'EC2 calls the network of this type "{word}" and says {said:g} Gbit/s (DescribeInstanceTypes; the user guide says '
    "what of it is a burst); such types sustain 1 to 2 Gbit/s, so 2 at most are taken"
)
_NUMBERS = re.compile(r"(?:Up to )?(?:(?P<times>\d+)x )?(?P<rate>\d+(?:\.\d+)?) Gigabit")

_NO_SURCHARGE = "its link to EBS costs extra, and no price of it is known"
_NO_BASELINE = "a burstable type of a family whose baseline nobody has entered"
_BURSTABLE_BEFORE_THE_FLAG = {"t1"}
"""Burstable families for which only EC2's user guide says so (T1 Micro instances)."""

_ACCELERATORS = ("GpuInfo", "InferenceAcceleratorInfo", "FpgaInfo", "MediaAcceleratorInfo", "NeuronInfo")


@frozen
class Origin:
    """Source of a number."""

    text: str
    as_of: date
    kind: Kind = "published"

    def figure(self, quantity: str, value: float) -> Figure:
        """Build a figure of an instance type."""
        return Figure(quantity, value, INSTANCE_UNITS[quantity], self.text, self.kind, self.as_of)


def instance_types(
    described: Iterable[Mapping[str, Any]], *, as_of: date, source: str = DESCRIBED
) -> dict[str, InstanceType]:
    """Convert EC2's descriptions of instance types to the catalog's hardware; prices come from other sources.

    Parameters
    ----------
    described : iterable of mapping
        `InstanceTypeInfo` of EC2's DescribeInstanceTypes, as boto3 returns it.
    as_of : date
        Date of the answer.
    source : str
        Source of the descriptions.

    Returns
    -------
    dict of str to InstanceType
        Sorted by name.

    Raises
    ------
    KeyError
        A description lacks its name, vCPUs or memory.

    Notes
    -----
    **Source**: EC2 API reference, InstanceTypeInfo, EbsInfo, NetworkInfo; EC2 user guide, Amazon EBS volume limits.

    The link to EBS: `EbsOptimizedInfo` is for the whole type; with several EBS cards it is the sum of the cards
    (c8gn.48xlarge: 2 cards of 60,000 Mbit/s, 120,000 in all). Megabytes are 10^6 bytes: 8 Mbit/s are 1 MB/s.

    The network rate is the sum of the network cards' rates, but at most the rate in `NetworkPerformance`: each card of
    c6in.32xlarge carries 200 Gbit/s, and both together carry no more than 200 Gbit/s.

    `MaximumEbsAttachments` is used unchanged, and includes the root volume. If the limit is shared with other devices,
    EC2 has already subtracted the first network interface and the NVMe disks (28 for most Nitro types: m5.large has
    27, d3en.12xlarge with 24 disks has 3); each further network interface uses one more.
    """
    origin = Origin(source, as_of)
    found = {item["InstanceType"]: _instance_type(item, origin) for item in described}
    return dict(sorted(found.items()))


def link_price(described: Mapping[str, Any]) -> str:
    """Return how the link to EBS is sold with an instance type, in the words of EC2.

    The link is included in the price (`LINK_INCLUDED`), costs extra, or does not exist.
    """
    support: str = described["EbsInfo"]["EbsOptimizedSupport"]
    return support


def _instance_type(item: Mapping[str, Any], origin: Origin) -> InstanceType:
    name: str = item["InstanceType"]
    figures: dict[str, Figure] = {
        "vcpus": origin.figure("vcpus", float(item["VCpuInfo"]["DefaultVCpus"])),
        "memory_gib": origin.figure("memory_gib", item["MemoryInfo"]["SizeInMiB"] / _MIB_PER_GIB),
    }
    gaps: dict[str, str] = {}
    figures |= _disks(item, origin)
    figures |= _link(item, origin, gaps)
    figures |= _network(item, origin, gaps)
    share = _baseline_share(name)
    if share is not None:
        figures["cpu_baseline_share"] = Origin(_BURSTABLE_SOURCE, _BURSTABLE_AS_OF).figure("cpu_baseline_share", share)
    elif _bursts(item):
        gaps["cpu_baseline_share"] = _NO_BASELINE
    if item.get("EbsInfo", {}).get("EbsOptimizedSupport") == LINK_AT_EXTRA_COST:
        gaps["ebs_usd_per_hour"] = _NO_SURCHARGE
    return instance_type(
        name,
        figures,
        disk_media=_media(item),
        placement_group="cluster" in item.get("PlacementGroupInfo", {}).get("SupportedStrategies", ()),
        gaps=gaps,
        traits=frozenset(_traits(item)),
    )


def _disks(item: Mapping[str, Any], origin: Origin) -> dict[str, Figure]:
    groups = item.get("InstanceStorageInfo", {}).get("Disks", [])
    found = {"disk_count": origin.figure("disk_count", float(sum(group["Count"] for group in groups)))}
    if groups:
        sizes = {group["SizeInGB"] for group in groups}
        one = origin
        if len(sizes) > 1:  # no type of today; a layout needs disks that are alike
            words = f"{origin.text}, the smallest of its disks: it has some of {_listed(sizes)} GB"
            one = Origin(words, origin.as_of, "estimated")
        found["disk_size_gb"] = one.figure("disk_size_gb", float(min(sizes)))
    return found


def _media(item: Mapping[str, Any]) -> Media | None:
    media = {group["Type"] for group in item.get("InstanceStorageInfo", {}).get("Disks", [])}
    if not media:
        return None
    return "hdd" if "hdd" in media else "ssd"


def _link(item: Mapping[str, Any], origin: Origin, gaps: dict[str, str]) -> dict[str, Figure]:
    link = item.get("EbsInfo", {}).get("EbsOptimizedInfo")
    attachments = item.get("EbsInfo", {}).get("MaximumEbsAttachments")
    found = {} if attachments is None else {"most_volumes": origin.figure("most_volumes", float(attachments))}
    if link is None:
        gaps["ebs_mb_per_s"] = "it has no link of its own to EBS, which shares its network: AWS promises no rate"
        return found
    values = {
        "ebs_baseline_mb_per_s": link["BaselineThroughputInMBps"],
        "ebs_maximum_mb_per_s": link["MaximumThroughputInMBps"],
        "ebs_baseline_iops": link["BaselineIops"],
        "ebs_maximum_iops": link["MaximumIops"],
    }
    return found | {quantity: origin.figure(quantity, float(value)) for quantity, value in values.items()}


def _network(item: Mapping[str, Any], origin: Origin, gaps: dict[str, str]) -> dict[str, Figure]:
    info = item.get("NetworkInfo", {})
    cards = info.get("NetworkCards", [])
    rates = {
        "network_baseline_mb_per_s": [card.get("BaselineBandwidthInGbps") for card in cards],
        "network_peak_mb_per_s": [card.get("PeakBandwidthInGbps") for card in cards],
    }
    if not cards or any(None in told for told in rates.values()):
        gaps["network_mb_per_s"] = f'{origin.text} gives no rate of it, only "{info.get("NetworkPerformance", "")}"'
        return {}
    words: str = info.get("NetworkPerformance", "")
    number = _NUMBERS.fullmatch(words)
    found = {}
    for quantity, told in rates.items():
        of_cards = math.fsum(told)
        rate, read = of_cards, origin
        if number is None:
            rate = min(of_cards, _MOST_OF_A_WORD_GBIT_PER_S)
            read = Origin(_A_WORD.format(word=words, said=of_cards), origin.as_of, "estimated")
        else:
            of_all = float(number["rate"]) * int(number["times"] or 1)
            if of_cards > _ROUNDING * of_all:
                rate, read = of_all, Origin(f"{origin.text}, NetworkPerformance", origin.as_of)
        found[quantity] = read.figure(quantity, rate * _MB_PER_S_PER_GBIT_PER_S)
    return found


def _traits(item: Mapping[str, Any]) -> Iterable[Trait]:
    if item.get("EbsInfo", {}).get("NvmeSupport") == "required" or item.get("Hypervisor") == "nitro":
        yield "nitro"
    if item.get("BareMetal"):
        yield "bare metal"
    if _bursts(item):
        yield "burstable"
    if not item.get("CurrentGeneration", True):
        yield "previous generation"
    if any(name in item for name in _ACCELERATORS):
        yield "accelerators"
    architectures = item.get("ProcessorInfo", {}).get("SupportedArchitectures", ())
    if any(name.startswith("arm64") for name in architectures):
        yield "arm64"
    if any(name.startswith("x86_64") for name in architectures):
        yield "x86_64"


def _bursts(item: Mapping[str, Any]) -> bool:
    family = item["InstanceType"].partition(".")[0]
    return family in _BURSTABLE_BEFORE_THE_FLAG or bool(item.get("BurstablePerformanceSupported"))


def _baseline_share(name: str) -> float | None:
    family, _, size = name.partition(".")
    shares = _BASELINE_SHARES.get(family)
    return shares[_SIZES.index(size)] if shares is not None and size in _SIZES else None


def _listed(sizes: Iterable[float]) -> str:
    return " and ".join(f"{size:,g}" for size in sorted(sizes))
