"""The packaged knowledge, and short constructors of workloads, for all tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from stowage.catalog.snapshot import packaged
from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, instance_type, volume_type
from stowage.model.hardware.instance import InstanceType, Media
from stowage.model.hardware.profile import Profile, Profiles
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Limits, Measured, Workload
from stowage.model.prediction import Prediction, predict


@dataclass(frozen=True)
class Known:
    """A catalog with the profiles of its types.

    ``digest`` identifies packaged content; it is empty if a test made it up.
    """

    catalog: Catalog
    profiles: Profiles
    digest: str = ""


def known(version: str, region: str = "us-east-1") -> Known:
    """Return the packaged knowledge of one region."""
    whole = packaged(version)
    return Known(whole.in_region(region), whole.profiles, whole.digest)


PAPER = known("paper-2014")

PAPER_ARITHMETIC = Assumptions(shuffle="whole", cpu="ignored", spread="ignored", launch="ignored", billing="prorated")
"""Assumptions that switch off effects that the paper's equations omit."""

TABLE_2 = Assumptions(
    network="unlimited",
    shuffle="whole",
    capacity="pooled",
    cpu="ignored",
    spread="ignored",
    launch="ignored",
    billing="prorated",
)

TB = 1e6


def sort(
    data_mb: float = 100 * TB,
    *,
    durability: Durability | None = None,
    limits: Limits | None = None,
    measured: Measured | None = None,
    assume: Assumptions | None = None,
) -> Workload:
    return Workload(
        name="",
        job=MapReduce("sort", data_mb, durability=durability or Durability()),
        limits=limits or Limits(),
        measured=measured or Measured(),
        assume=assume or Assumptions(),
    )


def on_own_disks(nodes: int, outer: int, inner: int, instance: str = "i2.8xlarge") -> Configuration:
    return Configuration(instance, nodes, InstanceStore(outer, inner))


def on_ebs(nodes: int, size_gib: int = 135, count: int = 8, instance: str = "r3.4xlarge") -> Configuration:
    return Configuration(instance, nodes, Ebs("gp2", size_gib, count))


IN_2026 = date(2026, 11, 20)
MBIT_PER_S = 1 / 8
"""AWS publishes links in Mbit/s; here they are in MB/s."""


def published(quantity: str, value: float, unit: str = "1") -> Figure:
    return Figure(quantity, value, unit, "AWS' pages of 2026", "published", IN_2026)


def named(units: Mapping[str, str], **values: float) -> dict[str, Figure]:
    """Build figures that are named after their quantities."""
    return {name: published(name, value, units.get(name, "1")) for name, value in values.items()}


_UNITS = {
    "memory_gib": "GiB",
    "disk_size_gb": "GB",
    **dict.fromkeys(("usd_per_hour", "spot_usd_per_hour", "one_year_usd_per_hour"), "USD/h"),
    **dict.fromkeys(("ebs_baseline_mb_per_s", "ebs_maximum_mb_per_s"), "MB/s"),
    **dict.fromkeys(("ebs_baseline_iops", "ebs_maximum_iops"), "1/s"),
    **dict.fromkeys(("network_baseline_mb_per_s", "network_peak_mb_per_s"), "MB/s"),
}


def a_type(name: str, link: tuple[float, float], network: tuple[float, float], **figures: float) -> InstanceType:
    """Build an instance type: (baseline, most) of its link to EBS and of its network [Mbit/s]."""
    links = {
        "ebs_baseline_mb_per_s": link[0] * MBIT_PER_S,
        "ebs_maximum_mb_per_s": link[1] * MBIT_PER_S,
        "network_baseline_mb_per_s": network[0] * MBIT_PER_S,
        "network_peak_mb_per_s": network[1] * MBIT_PER_S,
    }
    media: Media | None = "ssd" if "disk_size_gb" in figures else None
    return instance_type(name, named(_UNITS, **figures, **links), disk_media=media, placement_group=True, gaps={})


IN_2014 = PAPER

_TYPES_2026 = (
    a_type(
        "r5.xlarge", (1150, 4750), (1250, 10_000), vcpus=4, memory_gib=32, disk_count=0,
        ebs_baseline_iops=6_000, ebs_maximum_iops=18_750, usd_per_hour=0.252,
        spot_usd_per_hour=0.078, one_year_usd_per_hour=0.159,
    ),
    a_type(
        "r5d.xlarge", (1150, 4750), (1250, 10_000), vcpus=4, memory_gib=32, disk_count=1, disk_size_gb=150,
        ebs_baseline_iops=6_000, ebs_maximum_iops=18_750,
        usd_per_hour=0.288, spot_usd_per_hour=0.153,
    ),
    a_type(
        "r5d.4xlarge", (4750, 4750), (5000, 10_000), vcpus=16, memory_gib=128, disk_count=2,
        ebs_baseline_iops=18_750, ebs_maximum_iops=18_750, disk_size_gb=300,
        usd_per_hour=1.152, spot_usd_per_hour=0.599,
    ),
    a_type(
        "r5d.24xlarge", (19_000, 19_000), (25_000, 25_000), vcpus=96, memory_gib=768, disk_count=4,
        ebs_baseline_iops=80_000, ebs_maximum_iops=80_000,
        disk_size_gb=900, usd_per_hour=6.912,
    ),
)  # fmt: skip

_VOLUMES_2026 = {
    "gp2": {"usd_per_gib_month": 0.10},
    "gp3": {"usd_per_gib_month": 0.08, "usd_per_iops_month": 0.005, "usd_per_mib_per_s_month": 0.04},
    "io2": {
        "usd_per_gib_month": 0.125,
        "usd_per_iops_month": 0.065,
        "usd_per_iops_month_above_32000": 0.0455,
        "usd_per_iops_month_above_64000": 0.03185,
    },
    "st1": {"usd_per_gib_month": 0.045},
    "standard": {"usd_per_gib_month": 0.05, "usd_per_million_io": 0.05},
}

AWS_2026 = Known(
    Catalog(
        version="test-2026",
        title="Some of what us-east-1 offers",
        as_of=IN_2026,
        region="us-east-1",
        instance_types={instance.name: instance for instance in _TYPES_2026},
        volume_types={
            name: volume_type(name, named({}, annual_failure_rate=0.002, **prices), IN_2026)
            for name, prices in _VOLUMES_2026.items()
        },
    ),
    Profiles(
        (
            Profile(
                "r5d.4xlarge", "storage_mb_per_s", 900.0, 0.04, 5, None, "average", None, "made up", "measured",
                date(2025, 11, 20),
            ),
        )
    ),
)  # fmt: skip
"""Types with published links and networks, and volumes of which most keep credit; prices of us-east-1."""


def predicted(configuration: Configuration, workload: Workload, known: Known = IN_2014) -> Prediction:
    answer = predict(configuration, workload, known.catalog, known.profiles)
    assert isinstance(answer, Prediction), answer
    return answer


def refused(configuration: Configuration, workload: Workload, known: Known = IN_2014) -> Infeasible:
    answer = predict(configuration, workload, known.catalog, known.profiles)
    assert isinstance(answer, Infeasible), answer
    return answer
