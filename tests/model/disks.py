"""Types whose disks were measured reading and writing separately, as by iotune; one that bursts, one before Nitro."""

from dataclasses import replace

from knowledge import AWS_2026, IN_2026, Known, a_type, published
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Metric, Profile, Profiles

LARGE = (330.0, 166.0, 43_000.0, 33_000.0)
"""One disk: MB/s read and written, I/Os read and written per second."""
DOUBLE = (1_300.0, 660.0, 170_000.0, 130_000.0)


def rows(
    target: str, figures: tuple[float, ...], *, spread: float | None = None, count: int | None = 1
) -> tuple[Profile, ...]:
    metrics: tuple[Metric, ...] = (
        "storage_read_mb_per_s",
        "storage_write_mb_per_s",
        "storage_read_iops",
        "storage_write_iops",
    )
    return tuple(
        Profile(target, metric, mean, spread, count, None, "average", None, "iotune", "measured", IN_2026)
        for metric, mean in zip(metrics, figures, strict=False)
    )


def at_once(target: str, mean: float) -> Profile:
    return Profile(target, "storage_mb_per_s", mean, None, 5, None, "average", None, "DiskBench", "measured", IN_2026)


def disks_of(name: str, vcpus: int, count: int, size_gb: float) -> InstanceType:
    found = a_type(
        name, (4750, 4750), (25_000, 25_000), vcpus=vcpus, memory_gib=8 * vcpus, disk_count=count,
        disk_size_gb=size_gb, ebs_baseline_iops=20_000, ebs_maximum_iops=20_000, usd_per_hour=0.1 * vcpus,
    )  # fmt: skip
    return replace(found, traits=frozenset({"nitro", "x86_64"}))


BURSTING = replace(
    a_type(
        "t3.xlarge", (695, 2780), (1_024, 5_000), vcpus=4, memory_gib=16, disk_count=0,
        ebs_baseline_iops=4_000, ebs_maximum_iops=15_700, usd_per_hour=0.1664,
    ),
    traits=frozenset({"nitro", "burstable"}),
    cpu_baseline_share=published("cpu_baseline_share", 0.4),
)  # fmt: skip
WITHOUT_NITRO = replace(
    a_type(
        "d2.8xlarge", (40_000, 40_000), (10_000, 10_000), vcpus=36, memory_gib=244, disk_count=24,
        disk_size_gb=2_000, ebs_baseline_iops=160_000, ebs_maximum_iops=160_000, usd_per_hour=5.52,
    ),
    traits=frozenset({"previous generation", "x86_64"}),
)  # fmt: skip

_TYPES = (
    disks_of("i3en.large", 2, 1, 1_250.0),
    disks_of("i3en.xlarge", 4, 1, 2_500.0),
    disks_of("i3en.2xlarge", 8, 2, 2_500.0),
    disks_of("i3en.24xlarge", 96, 8, 7_500.0),
    disks_of("is4gen.medium", 1, 1, 937.0),
    BURSTING,
    WITHOUT_NITRO,
)

EACH_WAY = Known(
    Catalog(
        version="test-each-way",
        title="Types of which iotune knows the disks",
        as_of=IN_2026,
        region="us-east-1",
        instance_types={instance.name: instance for instance in _TYPES},
        volume_types=AWS_2026.catalog.volume_types,
    ),
    Profiles(
        (*rows("i3en.large", LARGE), *rows("i3en.2xlarge", DOUBLE, spread=0.04), *rows("is4gen.medium", LARGE)),
    ),
)


def knowing(*profiles: Profile) -> Known:
    """Return the same types with other profiles."""
    return replace(EACH_WAY, profiles=Profiles(profiles))
