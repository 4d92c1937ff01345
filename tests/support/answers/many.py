"""Many configurations of every kind: layouts and workloads, and offers of several types stacked into arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge import AWS_2026, Known
from stowage.model.cluster import Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Job, Limits, Measured, Place, Workload
from stowage.model.offer import Offer, offer_of
from stowage.model.uncertainty.straggler import Stragglers

EBS, OBJECTS = Durability("infrastructure"), Durability("object-store")
MEASURED = Measured(storage_mb_per_s=900.0, storage_iops=9_000.0, network_credit_mb=40_000.0)
LIMITS = Limits(deadline_s=600.0, budget_usd=30.0)
GB = 1e3


def a_workload(job: Job, **changes: object) -> Workload:
    return replace(Workload("", job, limits=LIMITS, measured=MEASURED), **changes)  # type: ignore[arg-type]


EMR_IN_ZONES = Place(service="emr", zones=3, placement_group=False)
SPOT = Place(purchase="spot", zones=2)

CASES: dict[str, tuple[Layout, Workload]] = {
    "sort on own disks": (InstanceStore(1, 1), a_workload(MapReduce("sort", 900 * GB))),
    "skewed Hadoop job on spot": (
        InstanceStore(1, 1),
        a_workload(MapReduce("mapreduce", 900 * GB, 0.7, 2.0, skew=4.0), framework="hadoop-dfsio", place=SPOT),
    ),
    "partitions that exceed memory": (
        InstanceStore(1, 1),
        a_workload(MapReduce("sort", 90_000 * GB, partitions=100), framework="unknown"),
    ),
    "two copies on EMR in three zones": (
        InstanceStore(1, 1),
        a_workload(MapReduce("sort", 900 * GB, durability=Durability("application", 2)), place=EMR_IN_ZONES),
    ),
    "object store that keeps": (
        ObjectStore(),
        a_workload(MapReduce("sort", 900 * GB, durability=OBJECTS), place=EMR_IN_ZONES, kept_s=1e7, runs_per_month=7.0),
    ),
    "HDFS on st1 half empty": (
        Ebs("st1", 2_000, 3),
        a_workload(Hdfs("hdfs-write", 900 * GB, replace(EBS, replicas=3)), framework="hadoop-dfsio", credits=0.5),
    ),
    "HDFS read from afar": (Ebs("gp2", 300, 3), a_workload(Hdfs("hdfs-read", 900 * GB, EBS, local_share=0.2))),
    "log on gp3": (
        Ebs("gp3", 500, 2, 5_000, 600),
        a_workload(AppendLog(900 * GB, 1.0, in_memory=0.5, snapshot=True, durability=EBS)),
    ),
    "log that waits on io2": (Ebs("io2", 500, 1, 20_000), a_workload(AppendLog(9 * GB, 1.0, "always", durability=EBS))),
    "random I/O on standard": (
        Ebs("standard", 500, 4),
        a_workload(RandomIo(9 * GB, 8.0, 0.9, 4.0, 100.0, EBS), place=SPOT),
    ),
    "random I/O on own disks": (InstanceStore(2, 0), a_workload(RandomIo(900 * GB, 8.0, 0.9, 4.0, 100.0))),
    "phases one after the other on gp2": (
        Ebs("gp2", 120, 3),
        a_workload(
            FreePhases(
                9.0,
                (
                    ("scan", {Role.INPUT_READ: 900 * GB, Role.CPU: 90 * GB}),
                    ("think", {Role.CPU: 900 * GB}),
                    ("store", {Role.OUTPUT_WRITE: 900 * GB, Role.NETWORK_IN: 90 * GB}),
                ),
                durability=EBS,
            ),
            credits=0.1,
        ),
    ),
    "log that memory takes at once, for a budget that pays for nothing": (
        Ebs("gp3", 500, 2),
        a_workload(
            AppendLog(1.0, 1.0, durability=EBS),
            limits=Limits(1.0, 1e-3),
            assume=Assumptions(network="unlimited", cpu="ignored"),
        ),
    ),
    "slow volumes and spares": (
        Ebs("gp2", 120, 3),
        a_workload(
            Hdfs("hdfs-write", 90 * GB, EBS),
            stragglers=Stragglers(0.05, 3.0),
            straggling="volumes",
            spares=3,
        ),
    ),
    "nothing but arithmetic": (
        InstanceStore(1, 1),
        a_workload(
            MapReduce("sort", 900 * GB),
            assume=Assumptions("unlimited", "whole", "pooled", "ignored", "ignored", "ignored", "prorated"),
        ),
    ),
}
SLOW = "slow volumes and spares"
NODES = np.array([1.0, 2.0, 3.0, 7.0, 40.0, 178.0, 1_000.0, 70_000.0])


def inputs_of(instance: str, layout: Layout, workload: Workload, known: Known = AWS_2026) -> Inputs:
    catalog = known.catalog
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    found = gather(catalog.instance_types[instance], volume, workload, catalog, known.profiles)
    assert isinstance(found, Inputs), found
    return found


def stacked(parts: Sequence[Any], *, always: bool) -> Any:
    """Combine the numbers of several offers into arrays; equal ones stay scalars unless ``always``."""
    first = parts[0]
    if isinstance(first, float | int) and not isinstance(first, bool):
        assert all(isinstance(part, float | int) for part in parts), parts
        # The float 0.0 stands for "does not apply", and must stay a scalar if it applies to none.
        if len(set(parts)) == 1 and not (always and first != 0.0):
            return first
        return np.array(parts, dtype=np.float64)
    if hasattr(first, "_make"):
        return first._make(stacked(items, always=always) for items in zip(*parts, strict=True))
    if isinstance(first, tuple):
        return tuple(stacked(items, always=always) for items in zip(*parts, strict=True))
    if isinstance(first, Mapping):
        assert all(part.keys() == first.keys() for part in parts)
        return {key: stacked([part[key] for part in parts], always=always) for key in first}
    if is_dataclass(first) and not isinstance(first, type):
        kept = {"framework", "launch_s", "minimum_billed_s", "replacement_s"}
        changed = {
            field.name: stacked([getattr(part, field.name) for part in parts], always=always)
            for field in fields(first)
            if field.name not in kept
        }
        return replace(first, **changed)
    assert all(part == first for part in parts), parts
    return first


TYPES = ("r5d.xlarge", "r5d.4xlarge", "r5d.24xlarge")


def on_types(
    layout: Layout, workload: Workload, picked: Sequence[tuple[str, int]]
) -> tuple[list[Offer], NDArray[np.float64]]:
    if isinstance(layout, InstanceStore):
        layout = InstanceStore(1, layout.intermediate_disks)
    offers = [
        offer_of(inputs_of(instance, layout, workload), layout, workload, float(count)) for instance, count in picked
    ]
    return offers, np.array([float(count) for _, count in picked])
