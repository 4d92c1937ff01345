"""Random small spaces to search: regular ones, and irregular ones with gaps, ties and odd profiles.

Each is determined by a number: `space(317)` is always the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from typing import Any, TypeVar

from stowage.model.choice import Quotas, Selection, VolumeQuota
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, VolumeType, volume_type
from stowage.model.hardware.instance import InstanceType, Trait
from stowage.model.hardware.profile import Metric, Profile, Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.append_log import AppendLog, Fsync
from stowage.model.jobs.engine import DIRECT, HADOOP, Engine
from stowage.model.jobs.flows import MOVED, Durability, Role
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.task_slots import TaskSlots
from stowage.model.jobs.workload import Assumptions, Elsewhere, Job, Limits, Measured, Place, Workload
from stowage.model.uncertainty.straggler import Stragglers

T = TypeVar("T")

TODAY = date(2026, 11, 20)
GIB_MB = 1073.741824

# Few distinct values, so that ties in cost, time and nodes occur.
PRICES = (0.1, 0.2, 0.25, 0.5, 1.0, 2.0)
RATES = (50.0, 100.0, 200.0, 333.3, 1000.0)
JUMPING = (1.0, 10.0, 99.9, 100.0, 2_000.0, 100_000.0)
DISK_GB = (10.0, 100.0, 800.0, 3_200.0)
# Some fill whole GiB to the last byte.
DATA_MB = (1.0, 5_000.0, 10_000.0, 64.0 * GIB_MB, 100_000.0, 333_333.0, 1_000.0 * GIB_MB, 2_000_000.0, 30_000_000.0)
NAMES = ("a1.large", "a1.xlarge", "b2.large", "c3.large")
DOUBLE = "d4.large"
USD_PER_VOLUME: Mapping[str, Mapping[str, float]] = {
    "gp2": {"usd_per_gib_month": 0.1},
    "gp3": {"usd_per_gib_month": 0.08, "usd_per_iops_month": 0.005, "usd_per_mib_per_s_month": 0.04},
    "io1": {"usd_per_gib_month": 0.125, "usd_per_iops_month": 0.065},
    "io2": {
        "usd_per_gib_month": 0.125,
        "usd_per_iops_month": 0.065,
        "usd_per_iops_month_above_32000": 0.0455,
        "usd_per_iops_month_above_64000": 0.03185,
    },
    "sc1": {"usd_per_gib_month": 0.015},
    "st1": {"usd_per_gib_month": 0.045},
    "standard": {"usd_per_gib_month": 0.05, "usd_per_million_io": 0.05},
}
SPELLED: tuple[Role, ...] = tuple(role for role in Role if role not in MOVED)
SINCE_2014 = ("gp2", "io1", "standard")


@dataclass(frozen=True)
class Space:
    """A search problem: a workload over a catalog, in steps so coarse that a plain loop can try all."""

    workload: Workload
    catalog: Catalog
    profiles: Profiles
    steps: Steps


class Dice:
    """Random choices that are determined by a number."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - chance, not secrecy

    def one(self, *of: T) -> T:
        return self._random.choice(of)

    def some(self, of: tuple[T, ...], least: int, most: int) -> tuple[T, ...]:
        return tuple(self._random.sample(of, self._random.randint(least, min(most, len(of)))))

    def happens(self, chance: float) -> bool:
        return self._random.random() < chance

    def seldom(self, value: T, usual: T, chance: float = 0.1) -> T:
        return value if self.happens(chance) else usual

    def between(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)


def space(number: int, *, wild: bool = True) -> Space:
    dice = Dice(number)
    catalog, profiles = world(dice, wild=wild)
    workload = a_workload(dice, wild=wild)
    if wild:
        workload = narrowed(dice, workload, catalog)
        # Another generator, so that the rest of a space does not change.
        workload = with_room(Dice(number + 1_000_000), workload)
        workload = with_copies_elsewhere(Dice(number + 2_000_000), workload)
        workload = with_repairs_in_time(Dice(number + 3_000_000), workload)
        workload = with_few_nodes_in_a_cluster(Dice(number + 4_000_000), workload)
        workload = with_a_head_for_its_blocks(Dice(number + 5_000_000), workload)
        workload = with_data_elsewhere(Dice(number + 6_000_000), workload)
        workload, catalog = with_a_general_head(Dice(number + 7_000_000), workload, catalog)
        workload = with_measured_cpus(Dice(number + 8_000_000), workload)
        workload = with_an_engine(Dice(number + 9_000_000), workload)
        workload = with_more_causes(Dice(number + 10_000_000), workload)
        workload = with_tasks(Dice(number + 11_000_000), workload)
    return Space(workload, catalog, profiles, Steps(dice.one(2.0, 3.0, 4.0, 4.0)))


def with_measured_cpus(dice: Dice, workload: Workload) -> Workload:
    """Return the rate of a vCPU, sometimes: low, so that CPUs limit the job, or high."""
    measured = replace(workload.measured, cpu_mb_per_s_per_vcpu=dice.one(2.0, 5.0, 400.0))
    return replace(workload, measured=dice.seldom(measured, workload.measured, 0.15))


def with_an_engine(dice: Dice, workload: Workload) -> Workload:
    """Return a framework that sometimes computes, splits work into tasks and fetches after the map phase."""
    engine = Engine(
        merging=dice.one("in passes", "as Hadoop", "once"),
        fetches_after_map=dice.happens(0.6),
        map_cpu=dice.one(None, figure("map_cpu", 5.0, "s/GB"), figure("map_cpu", 60.0, "s/GB")),
        reduce_cpu=dice.one(None, figure("reduce_cpu", 40.0, "s/GB")),
        task_cpu=dice.one(None, figure("task_cpu", 0.5, "s")),
        split=dice.one(None, figure("split", 128.0, "MB"), figure("split", 5_000.0, "MB")),
        shuffle_size=dice.one(None, figure("shuffle_size", 0.4)),
        wire_size=dice.one(None, figure("wire_size", 1.1)),
        alone=dice.one(None, figure("alone", 0.3), figure("alone", 1.0)),
    )
    made = replace(workload.reached, name="made up", engine=engine)
    return dice.seldom(replace(workload, framework="made up", calibrated=made), workload, 0.25)


def with_more_causes(dice: Dice, workload: Workload) -> Workload:
    """Return a framework with a made-up engine: CPU time by blocks and traffic, and input from other nodes."""
    if workload.framework != "made up":
        return workload
    engine = replace(
        workload.reached.engine,
        block_cpu=dice.one(None, figure("block_cpu", 0.01, "s")),
        sent_cpu=dice.one(None, figure("sent_cpu", 20.0, "s/GB")),
        fetch_mb=dice.one(None, figure("fetch_mb", 1.0, "MB")),
        remote_input=dice.happens(0.3),
    )
    return replace(workload, calibrated=replace(workload.reached, engine=engine))


def with_tasks(dice: Dice, workload: Workload) -> Workload:
    """Return a framework that sometimes limits tasks of a node and their memory, and compresses files.

    Types of spaces have 1 to 16 vCPUs, and 1 or 16 GiB: 1,000 MB are too much for the smaller ones.
    """
    job = workload.job
    if not isinstance(job, MapReduce) or not dice.happens(0.4):
        return workload
    tasks = TaskSlots(dice.one(None, 1, 2, 3, 40), dice.one(None, None, 30.0, 300.0, 1_000.0))
    return replace(
        workload,
        job=replace(
            job,
            tasks=tasks,
            compressed_to=dice.one(1.0, 0.4),
            input_compressed_to=dice.one(1.0, 0.3),
            output_compressed_to=dice.one(1.0, 0.01),
        ),
    )


def figure(quantity: str, value: float, unit: str = "1") -> Figure:
    return Figure(quantity, value, unit, "made up for a test", "estimated", TODAY)


def world(dice: Dice, *, wild: bool) -> tuple[Catalog, Profiles]:
    names = dice.some(NAMES, 1, 3)
    types = {name: instance_type(dice, name, wild=wild) for name in names}
    rows = [row for name in names for row in (profiles if wild else tame_profiles)(dice, name)]
    if dice.happens(0.4):
        # A type that differs only in its name: every candidate of it is a tie.
        types[DOUBLE] = replace(types[names[0]], name=DOUBLE)
        rows += [replace(row, target=DOUBLE) for row in rows if row.target == names[0]]
    catalog = Catalog("test", "made up", TODAY, "us-east-1", types, volume_types(dice, wild=wild))
    return catalog, Profiles(tuple(rows))


def volume_types(dice: Dice, *, wild: bool) -> dict[str, VolumeType]:
    found: dict[str, VolumeType] = {}
    largest, smallest = dice.one(16.0, 100.0, 1024.0, 16_384.0), dice.one(1.0, 1.0, 4.0)
    # Volumes that cost nothing: every size and every provision of them is a tie in cost.
    free = wild and dice.happens(0.05)
    for name in dice.some(tuple(USD_PER_VOLUME), 1, 3):
        of_2014 = wild and name in SINCE_2014 and dice.happens(0.2)
        usd = {key: figure(key, 0.0 if free else price) for key, price in USD_PER_VOLUME[name].items()}
        if wild and dice.happens(0.1):
            # The prices of its IOPS and throughput are unknown: they count as zero.
            usd = {"usd_per_gib_month": usd["usd_per_gib_month"]}
        usd["annual_failure_rate"] = figure("annual_failure_rate", 0.002, "1/a")
        usd["smallest_gib"] = figure("smallest_gib", smallest, "GiB")
        usd["largest_gib"] = figure("largest_gib", largest, "GiB")
        found[name] = volume_type(name, usd, date(2014, 10, 1) if of_2014 else TODAY)
    return found


TRAITS: tuple[tuple[Trait, ...], ...] = (
    (),
    ("nitro", "x86_64"),
    ("nitro", "arm64"),
    ("previous generation", "x86_64"),
    ("nitro", "burstable"),
)


def instance_type(dice: Dice, name: str, *, wild: bool) -> InstanceType:
    """Build a type as AWS describes it, or with gaps."""
    disks = dice.one(0, 1, 2, 3, 4, 8) if wild else dice.one(1, 2, 4)
    gap = 0.08 if wild else 0.0

    def price(quantity: str) -> Figure | None:
        return None if dice.happens(gap) else figure(quantity, dice.one(*PRICES), "USD/h")

    return InstanceType(
        name=name,
        vcpus=figure("vcpus", dice.one(1.0, 2.0, 16.0)),
        memory_gib=figure("memory_gib", dice.one(1.0, 16.0), "GiB"),
        disk_count=figure("disk_count", float(disks)),
        disk_size_gb=figure("disk_size_gb", dice.one(*DISK_GB), "GB") if disks else None,
        disk_media="ssd" if disks else None,
        placement_group=True,
        usd_per_hour=price("usd_per_hour"),
        ebs_usd_per_hour=dice.one(None, None, figure("ebs_usd_per_hour", 0.1, "USD/h")),
        gaps=dice.seldom({"ebs_usd_per_hour": "costs extra"}, {}, gap),
        most_volumes=figure("most_volumes", dice.seldom(1.0, dice.one(2.0, 3.0, 4.0, 5.0), gap)),
        spot_usd_per_hour=price("spot_usd_per_hour"),
        one_year_usd_per_hour=price("one_year_usd_per_hour"),
        cpu_baseline_share=dice.seldom(figure("cpu_baseline_share", 0.2), None),
        traits=frozenset(dice.one(*TRAITS)),
        **({} if wild and dice.happens(0.15) else link(dice)),
    )


def link(dice: Dice) -> dict[str, Any]:
    """Return a link to EBS and a network as AWS publishes them: a baseline, and a maximum for half an hour."""
    rates = {
        "ebs_baseline_mb_per_s": dice.one(20.0, 80.0, 400.0),
        "ebs_maximum_mb_per_s": dice.one(80.0, 400.0),
        "network_baseline_mb_per_s": dice.one(*RATES),
        "network_peak_mb_per_s": dice.one(*RATES),
    }
    if dice.happens(0.5):
        rates |= {"ebs_baseline_iops": dice.one(500.0, 4e3), "ebs_maximum_iops": 4e3}
    return {quantity: figure(quantity, rate) for quantity, rate in rates.items()}


def profile(name: str, metric: Metric, mean: float, spread: float | None = None, at: int | None = None) -> Profile:
    return Profile(name, metric, mean, spread, 3, at, "average", None, "made up", "measured", TODAY)


def profiles(dice: Dice, name: str) -> list[Profile]:
    rows: list[Profile] = []

    def add(metric: Metric, mean: float) -> None:
        rows.append(profile(name, metric, mean, dice.one(None, None, 0.0, 0.05, 0.5)))

    known = dice.one("at once", "at once", "each way", "each way", "both", "both", dice.one("at once", "nothing"))
    if known in {"at once", "both"}:
        add("storage_mb_per_s", dice.one(*RATES))
    if known in {"each way", "both"}:
        add("storage_read_mb_per_s", dice.one(*RATES))
        add("storage_write_mb_per_s", dice.one(*RATES))
    if dice.happens(0.7):
        add("storage_read_iops", dice.one(500.0, 20_000.0))
        add("storage_write_iops", dice.one(500.0, 9_000.0))
    # Points that rise and fall at random: time need not fall with the number of nodes.
    sizes = dice.some((1, 2, 3, 4, 5, 9, 10, 20, 50), 0, 6)
    rows += [profile(name, "network_mb_per_s", dice.one(*RATES), at=size) for size in sizes]
    if dice.happens(0.3):
        # Some jump between neighbours; for larger clusters, where a power law through it would overflow, they are flat.
        jumps = ((10, dice.one(*JUMPING)), (11, dice.one(*JUMPING)), (60, 100.0), (120, 100.0))
        rows += [profile(name, "network_mb_per_s", rate, at=size) for size, rate in jumps if size not in sizes]
    if dice.happens(0.4):
        add("ebs_read_mb_per_s", dice.one(*RATES))
        add("ebs_write_mb_per_s", dice.one(*RATES))
    return rows


def tame_profiles(dice: Dice, name: str) -> list[Profile]:
    """Build profiles of all measurable rates, with a network that may slow down as the cluster grows."""
    fastest, slower = dice.one(*RATES), dice.one(1.0, 0.9, 0.5)
    rows = [profile(name, "storage_mb_per_s", dice.one(*RATES))]
    rows += [profile(name, "storage_read_iops", 20_000.0), profile(name, "storage_write_iops", 9_000.0)]
    return [*rows, *(profile(name, "network_mb_per_s", fastest * slower**i, at=3**i) for i in range(5))]


def durability(dice: Dice) -> Durability:
    copied = dice.one(Durability(), Durability("application", 2), Durability("application", 3))
    return dice.one(copied, Durability("infrastructure"))


def a_job(dice: Dice) -> Job:
    data_mb, kept = dice.one(*DATA_MB), durability(dice)
    kind = dice.one("sort", "sort", "mapreduce", "hdfs", "hdfs", "log", "random", "phases")
    if kind in {"sort", "mapreduce"}:
        if dice.happens(0.2):
            kept = Durability("object-store")
        skew, partitions = dice.seldom(2.5, 1.0, 0.3), dice.seldom(50, None, 0.3)
        if kind == "sort":
            return MapReduce("sort", data_mb, durability=kept, skew=skew, partitions=partitions)
        return MapReduce(
            "mapreduce", data_mb, dice.one(0.5, 1.0, 2.0), dice.one(0.1, 1.0), kept, skew=skew, partitions=partitions
        )
    if kind == "hdfs":
        kept = dice.one(Durability("application", 1), Durability("application", 3), *[Durability("infrastructure")] * 2)
        which = dice.one("hdfs-write", "hdfs-read")
        local, by_size = dice.one(1.0, 0.3), dice.happens(0.4)
        return Hdfs("hdfs-write" if which == "hdfs-write" else "hdfs-read", data_mb, kept, GIB_MB / 8.0, local, by_size)
    if kind == "log":
        fsync: Fsync = dice.one("always", "every second", "at the end")
        return AppendLog(data_mb, 4.0, fsync, dice.one(0.0, 0.5), dice.happens(0.5), kept)
    if kind == "random":
        return RandomIo(data_mb, 16.0, dice.one(0.0, 0.7, 1.0), 8.0, dice.one(*DATA_MB), kept)
    # Flows of any kind: some phases need only the network, others nothing that a layout changes.
    moved = [{role: dice.one(*DATA_MB) for role in dice.some(SPELLED, 1, 3)} for _ in range(dice.one(1, 2, 3))]
    named = tuple((f"phase {i}", flows) for i, flows in enumerate(moved, 1))
    return FreePhases(data_mb, named, random_io_kib=16.0, durability=kept)


def a_workload(dice: Dice, *, wild: bool) -> Workload:
    place = Place(
        service=dice.one("ec2", "ec2", "emr"),
        purchase=dice.one("on-demand", "on-demand", "spot", "1-year"),
        zones=dice.one(1, 1, 3),
        placement_group=dice.happens(0.5),
        commitment=dice.one("used", "alone"),
    )
    tame = Workload(
        name="",
        job=a_job(dice),
        framework=dice.one("ideal", "ideal", "hadoop-dfsio", "unknown"),
        runs_per_month=dice.one(1.0, 30.0),
        place=place,
        credits=dice.one(1.0, 0.0, 0.4),
        limits=Limits(max_nodes=dice.one(1, 2, 7, 12, 30, 60, 150)),
        assume=Assumptions(
            network=dice.one("measured", "measured", "baseline", "unlimited"),
            shuffle=dice.one("exact", "whole"),
            capacity=dice.one("divided", "pooled"),
            cpu=dice.one("modelled", "ignored"),
            spread=dice.one("modelled", "modelled", "ignored"),
            launch=dice.one("billed", "ignored"),
            billing=dice.one("by-second", "prorated"),
        ),
        objective=dice.one("cost", "cost", "time", "month"),
    )
    credit_mb = dice.one(None, 1_000.0, 1e6)
    if not wild:
        return replace(tame, measured=Measured(network_credit_mb=credit_mb))
    measured = Measured(
        storage_mb_per_s=dice.seldom(900.0, None, 0.2),
        network_mb_per_s=dice.seldom(250.0, None, 0.2),
        ebs_read_mb_per_s=dice.seldom(300.0, None),
        ebs_write_mb_per_s=dice.seldom(150.0, None),
        instance=dice.one(None, "a1.large"),
        storage_iops=dice.seldom(3_000.0, None, 0.3),
        network_credit_mb=credit_mb,
    )
    slow = dice.seldom(dice.one(Stragglers(0.05, 3.0), Stragglers(1.0, 1.5)), None, 0.15)
    return replace(
        tame,
        measured=measured,
        kept_s=dice.seldom(dice.one(3_600.0, 1e8), None),
        stragglers=slow,
        straggling="nodes" if slow is None else dice.one("nodes", "volumes"),
    )


def narrowed(dice: Dice, workload: Workload, catalog: Catalog) -> Workload:
    """Choose among the offers, and set quotas."""
    name = dice.one(*catalog.instance_types)
    selections = (
        Selection(not_families=("a1",)),
        Selection(sizes=("large",)),
        Selection(not_instances=(name,)),
        Selection(architectures=("arm64",)),
        Selection(architectures=("x86_64",)),
        Selection(generation="current"),
        Selection(measured_only=True),
        Selection(measured_only=True),
        Selection(not_volumes=dice.one(("gp2",), ("io1", "io2"), ("st1",))),
    )
    of_volumes = {
        volume: VolumeQuota(dice.one(None, 100.0, 5_000.0), dice.one(None, 6_000.0, 100_000.0))
        for volume in dice.some(tuple(USD_PER_VOLUME), 3, 6)
    }
    quotas = (
        Quotas(vcpus=dice.one(1.0, 16.0, 100.0)),
        Quotas(nodes={name: 3}),
        Quotas(nodes_per_zone=dice.one(1, 4)),
        Quotas(volumes=of_volumes),
        Quotas(volumes=of_volumes, vcpus=64.0),
    )
    return replace(
        workload,
        selection=dice.seldom(dice.one(*selections), Selection(), 0.15),
        quotas=dice.seldom(dice.one(*quotas), Quotas(), 0.2),
        place=replace(workload.place, primary=dice.seldom(name, None)),
    )


def with_room(dice: Dice, workload: Workload) -> Workload:
    """Require free space, room for lost nodes and a minimum node size."""
    limits = workload.limits
    if dice.happens(0.3):
        limits = replace(limits, free_space=dice.one(0.1, 0.25, 0.5), lost_nodes=dice.one(0, 0, 1, 2))
    selection = workload.selection
    if dice.happens(0.1):
        selection = replace(selection, min_vcpus=dice.one(0.0, 2.0), min_memory_gib=dice.one(0.0, 16.0))
    return replace(workload, limits=limits, selection=selection)


def with_copies_elsewhere(dice: Dice, workload: Workload) -> Workload:
    """Read input from the object store, or write output there, and count the launch in the time."""
    if dice.happens(0.4):
        workload = replace(
            workload, input=dice.one("in-place", "object-store"), output=dice.one("in-place", "object-store")
        )
    if dice.happens(0.3):
        workload = replace(workload, assume=replace(workload.assume, launch="counted"))
    return workload


def with_repairs_in_time(dice: Dice, workload: Workload) -> Workload:
    """Limit the time to re-replicate a failed node, in some spaces to just above the detection time."""
    if dice.happens(0.5):
        within_s = dice.one(630.05, 631.0, 640.0, 700.0, 1_000.0, 20_000.0)
        return replace(workload, limits=replace(workload.limits, rereplication_s=within_s))
    return workload


def with_few_nodes_in_a_cluster(dice: Dice, workload: Workload) -> Workload:
    """Limit the service to few nodes."""
    if dice.happens(0.1):
        return replace(workload, quotas=replace(workload.quotas, nodes_per_cluster=dice.one(2, 5, 25)))
    return workload


def with_a_head_for_its_blocks(dice: Dice, workload: Workload) -> Workload:
    """Set the memory that the NameNode needs, in some spaces more than the smallest types have."""
    if dice.happens(0.3):
        each_gib = dice.one(5.0, 70.0, 300.0, 2_000.0)
        return replace(workload, limits=replace(workload.limits, gib_per_million_blocks=each_gib))
    return workload


def with_data_elsewhere(dice: Dice, workload: Workload) -> Workload:
    """Move input or output elsewhere, over links that few or many nodes saturate."""
    rates = (5.0, 100.0, 700.0, 1_250.0, 1e5)
    if dice.happens(0.3):
        workload = replace(workload, input=Elsewhere(dice.one(*rates)))
    if dice.happens(0.3):
        workload = replace(workload, output=Elsewhere(dice.one(*rates)))
    return workload


def with_a_general_head(dice: Dice, workload: Workload, catalog: Catalog) -> tuple[Workload, Catalog]:
    """Set the head node to a general-purpose type; the catalog has some of them or none."""
    if not dice.happens(0.3):
        return workload, catalog
    names = dice.some(("m6i.xlarge", "m5.2xlarge", "m8g.4xlarge", "m3.xlarge"), 0, 3)
    sold = {name: instance_type(dice, name, wild=True) for name in names}
    place = replace(workload.place, head="general")
    return replace(workload, place=place), replace(catalog, instance_types={**catalog.instance_types, **sold})


def calibrated(of: Space, number: int) -> Space:
    own = a_framework(Dice(-number - 7))
    return replace(of, workload=replace(of.workload, framework=own.name, calibrated=own))


def a_framework(dice: Dice) -> Framework:
    """Build a profile of every parameter, with some left out."""

    def part(name: str) -> object:
        return dice.one(None, figure(name, 1.0), figure(name, 0.3), figure(name, 0.7), figure(name, 1.2))

    def seconds(name: str, *values: float) -> object:
        return dice.one(None, *(figure(name, value, "s") for value in (0.0, *values)))

    beyond = dice.one(None, (1.0, 4.0), (5.0, 20.0), (200.0, 300.0))
    names = ("efficiency", "read_efficiency", "write_efficiency", "network_efficiency")
    more = ("link_efficiency", "object_store_efficiency", "cpu_efficiency")
    fitted = {
        **{name: part(name) for name in (*names, *more)},
        "start_up": seconds("start_up", 1e-3, 30.0, 5e4),
        "log_nodes": seconds("log_nodes", 7.0),
        "per_node": seconds("per_node", 0.01, 3.0, 500.0),
        "growth": dice.one(None, None, figure("growth", 0.0), figure("growth", 0.15), figure("growth", 0.9)),
        "growth_from": dice.one(1.0, 6.7, 300.0),
        "streams": dice.one(None, figure("streams", 17.8)),
        "recovery": dice.one("restart", "tasks"),
        "engine": HADOOP if dice.happens(0.3) else DIRECT,
        "measured_nodes": beyond,
        "extrapolation": None if beyond is None else figure("extrapolation", 0.2),
    }
    return Framework("ours", "1", "made up", "made up", figure("error", dice.one(0.0, 0.1, 0.4)), **fitted)  # type: ignore[arg-type] # values of several types by name
