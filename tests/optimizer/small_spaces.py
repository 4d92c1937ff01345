"""Spaces of one or two types on EBS, with a parameter for everything that matters to a pruning rule."""

from typing import Any

from optimizer.spaces import TODAY, USD_PER_VOLUME, Space, figure, profile
from stowage.model.choice import Quotas, VolumeQuota
from stowage.model.hardware.catalog import Catalog, volume_type
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Job, Limits, Workload

ON_EBS = Durability("infrastructure")
READ, WRITE = Hdfs("hdfs-read", 5_000.0, ON_EBS), Hdfs("hdfs-write", 5_000.0, ON_EBS)
LARGE = Hdfs("hdfs-read", 1e6, ON_EBS)
LOG = AppendLog(5_000.0, 4.0, "at the end", durability=ON_EBS)
AT_RANDOM = RandomIo(5_000.0, 16.0, 1.0, 8.0, 5_000.0, ON_EBS)


def phases(*flows_mb: dict[Role, float], data_mb: float = 5_000.0) -> FreePhases:
    named = tuple((f"phase {i}", flows) for i, flows in enumerate(flows_mb, 1))
    return FreePhases(data_mb, named, random_io_kib=16.0, durability=ON_EBS)


def quota(volume: str, size_gib: float | None = None, iops: float | None = None) -> Quotas:
    return Quotas(volumes={volume: VolumeQuota(size_gib, iops)})


def small(  # noqa: PLR0913 - by name
    job: Job = READ,
    *volumes: str,
    nodes: int = 1,
    data_volumes: int = 5,
    types: int = 1,
    link: tuple[float, float] = (400.0, 400.0),
    link_iops: tuple[float, float] | None = None,
    network: dict[int, float] | None = None,
    network_baseline: float | None = None,
    largest_gib: float = 16_384.0,
    memory_gib: float = 16.0,
    free: bool = False,
    scratch: bool = False,
    ratio: float = 4.0,
    deadline_s: float | None = None,
    chance: float | None = None,
    loss: float | None = None,
    **asked: Any,
) -> Space:
    """Build a space of types that differ only in their name, on EBS, with or without a disk for scratch."""
    volume_types = {}
    for name in volumes or ("gp3",):
        usd = {key: figure(key, 0.0 if free else price) for key, price in USD_PER_VOLUME[name].items()}
        usd["annual_failure_rate"] = figure("annual_failure_rate", 0.002, "1/a")
        usd["smallest_gib"] = figure("smallest_gib", 1.0, "GiB")
        usd["largest_gib"] = figure("largest_gib", largest_gib, "GiB")
        volume_types[name] = volume_type(name, usd, TODAY)
    measured = network or {1: 1_000.0}
    fastest = max(measured.values())
    rates = {
        "ebs_baseline_mb_per_s": link[0],
        "ebs_maximum_mb_per_s": link[1],
        "network_baseline_mb_per_s": network_baseline or fastest,
        "network_peak_mb_per_s": fastest,
    }
    if link_iops is not None:
        rates |= {"ebs_baseline_iops": link_iops[0], "ebs_maximum_iops": link_iops[1]}
    names = ("a1.large", "a1.xlarge")[:types]
    instances = {
        name: InstanceType(
            name=name,
            vcpus=figure("vcpus", 2.0),
            memory_gib=figure("memory_gib", memory_gib, "GiB"),
            disk_count=figure("disk_count", float(scratch)),
            disk_size_gb=figure("disk_size_gb", 3_200.0, "GB") if scratch else None,
            disk_media="ssd" if scratch else None,
            placement_group=True,
            usd_per_hour=figure("usd_per_hour", 0.1, "USD/h"),
            one_year_usd_per_hour=figure("one_year_usd_per_hour", 0.1, "USD/h"),
            ebs_usd_per_hour=None,
            gaps={},
            # One of them is the root volume.
            most_volumes=figure("most_volumes", data_volumes + 1.0),
            traits=frozenset(("nitro", "x86_64")),
            **{quantity: figure(quantity, rate) for quantity, rate in rates.items()},
        )
        for name in names
    }
    rows = [profile(name, "network_mb_per_s", rate, at=size) for name in names for size, rate in measured.items()]
    if scratch:
        rows += [profile(name, "storage_mb_per_s", 333.3) for name in names]
    limits = Limits(max_nodes=nodes, deadline_s=deadline_s, chance=chance, loss=loss)
    catalog = Catalog("test", "made up", TODAY, "us-east-1", instances, volume_types)
    return Space(Workload("", job, limits=limits, **asked), catalog, Profiles(tuple(rows)), Steps(ratio))
