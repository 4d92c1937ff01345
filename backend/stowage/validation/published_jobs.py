"""Finished jobs that others published (`finished_jobs/*.csv`), against the physical limit of what they ran on.

Sources state little of the hardware. What a source does not state counts as unlimited, which lowers the limit. A run
below its limit shows an error, of the source or of the model.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from stowage.model.catalogue import Catalogue
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.figure import Figure, given
from stowage.model.flows import Durability
from stowage.model.framework import IDEAL
from stowage.model.instance import InstanceType
from stowage.model.mapreduce import MapReduce
from stowage.model.prediction import predict
from stowage.model.profile import Profiles
from stowage.model.sizes import MB_PER_GB
from stowage.model.workload import Assumptions, Measured, Workload
from stowage.validation.evaluations import EVALUATIONS, evaluation, spark_record
from stowage.validation.ground import Ground, feasible
from stowage.validation.laboratory_runs import KEPT_BY_SCANS
from stowage.validation.st1 import DIRECTIONS, LAYOUTS, predicted_by

MB_PER_S_PER_GBIT_PER_S = 125.0
_UNLIMITED = 1e7
"""In place of a rate [MB/s], a size [GB] or a memory [GiB] that no source states."""
_SORTS = frozenset({"sort", "terasort", "shuffle"})
_ASSUME = Assumptions(spread="ignored", cpu="ignored", launch="ignored", billing="prorated", capacity="pooled")


@dataclass(frozen=True, slots=True)
class PublishedJob:
    """A row of the tables.

    Parameters
    ----------
    told : Mapping[str, str]
        Its columns; empty where the source says nothing.
    """

    told: Mapping[str, str]

    @property
    def id(self) -> str:
        """Return the name that no other row has."""
        return self.told["id"]

    @property
    def nodes(self) -> int:
        """Return the number of nodes that held data."""
        return int(self.told["nodes"])

    @property
    def time_s(self) -> float:
        """Return the time [s]."""
        return float(self.told["time_s"])

    @property
    def data_mb(self) -> float:
        """Return the input [MB]."""
        return float(self.told["data_gb"]) * MB_PER_GB

    @property
    def sorts(self) -> bool:
        """Return whether it sorted or shuffled all of its input; else only reading the input counts."""
        return self.told["job"] in _SORTS

    def number(self, column: str) -> float | None:
        """Return a column that holds a number; None where the source does not state it."""
        return float(self.told[column]) if self.told[column] else None


@cache
def published_jobs() -> tuple[PublishedJob, ...]:
    """Return all rows, by framework and in the order of the tables."""
    folder = files("stowage.validation") / "finished_jobs"
    tables = sorted((table for table in folder.iterdir() if table.name.endswith(".csv")), key=lambda table: table.name)
    return tuple(PublishedJob(row) for table in tables for row in csv.DictReader(table.read_text().splitlines()))


def physical_limit_of(job: PublishedJob, instances: Mapping[str, InstanceType]) -> float | None:
    """Return the physical limit of a published job [s]; None if neither its disks nor its network are known.

    Parameters
    ----------
    job : PublishedJob
    instances : Mapping[str, InstanceType]
        For what AWS publishes of the instance type, where the source names one.
    """
    known = instances.get(job.told["instance"])
    storage, network = _storage_mb_per_s(job, known), _network_mb_per_s(job, known)
    if storage is None and network is None:
        return None
    node = _node_of(job, known)
    copies = int(job.number("replication") or 1)
    work = MapReduce(
        kind="mapreduce",
        data_mb=job.data_mb,
        map_selectivity=1.0 if job.sorts else KEPT_BY_SCANS,
        durability=Durability("application", copies) if job.sorts and copies > 1 else Durability(),
    )
    measured = Measured(storage_mb_per_s=storage or _UNLIMITED, network_mb_per_s=network or _UNLIMITED)
    workload = Workload(job.id, work, measured=measured, assume=_ASSUME)
    catalogue = Catalogue("published", "What published jobs ran on", date.min, "us-east-1", {node.name: node}, {})
    configuration = Configuration(node.name, job.nodes, InstanceStore(2, 0))
    return feasible(predict(configuration, workload, catalogue, Profiles(()), sources=False)).physical_limit_s


def _storage_mb_per_s(job: PublishedJob, known: InstanceType | None) -> float | None:
    """Return DiskBench's rate of a node: half the disks read while the others write [MB/s]."""
    each, disks = job.number("disk_mb_per_s"), job.number("disks")
    if each is not None and disks is not None:
        return each * disks / 2.0
    on_ebs = job.told["disk_kind"].startswith("ebs")
    if on_ebs and known is not None and known.ebs_maximum_mb_per_s is not None:
        return known.ebs_maximum_mb_per_s.value / 2.0
    return None


def _network_mb_per_s(job: PublishedJob, known: InstanceType | None) -> float | None:
    stated = job.number("network_gbit_per_s")
    if stated is not None:
        return stated * MB_PER_S_PER_GBIT_PER_S
    if known is not None and known.network_peak_mb_per_s is not None:
        return known.network_peak_mb_per_s.value
    return None


def _node_of(job: PublishedJob, known: InstanceType | None) -> InstanceType:
    memory_gib = job.number("memory_gib") or (_UNLIMITED if known is None else known.memory_gib.value)
    vcpus = job.number("vcpus") or (1.0 if known is None else known.vcpus.value)
    return InstanceType(
        name=job.told["instance"] or "node",
        vcpus=_figure("vcpus", vcpus),
        memory_gib=_figure("memory", memory_gib, "GiB"),
        disk_count=_figure("disks", 2.0),
        disk_size_gb=_figure("disk", _UNLIMITED, "GB"),
        disk_media="ssd",
        placement_group=True,
        usd_per_hour=_figure("price", 1.0, "USD/h"),
        ebs_usd_per_hour=None,
        gaps={},
    )


def _figure(quantity: str, value: float, unit: str = "1") -> Figure:
    return given(f"published.{quantity}", value, unit, "the published job")


@dataclass(frozen=True, slots=True)
class LimitedRun:
    """A published run beside the physical limit of what it ran on.

    Parameters
    ----------
    id, what : str
        The second in words.
    source : str
    source_date : date
        The first day, where the source states a month or a year only.
    time_s : float
        [s].
    limit_s : float or None
        [s]; None if the source states neither disks nor network.
    """

    id: str
    what: str
    source: str
    source_date: date
    time_s: float
    limit_s: float | None


def limited_runs(ground: Ground, instances: Mapping[str, InstanceType]) -> tuple[LimitedRun, ...]:
    """Return every published run with its physical limit: those of the validation's job times, then finished jobs."""
    found = {name: evaluation(ground, name) for name in EVALUATIONS}
    found["sort-spark"] = spark_record(ground, IDEAL.name)
    runs = {f"{name}-time": prediction for name, prediction in found.items()}
    runs |= {
        f"st1-{direction}-{volumes}": predicted_by(ground, IDEAL, direction, volumes)
        for direction in DIRECTIONS
        for volumes in LAYOUTS
    }
    cases = {case.id: case for case in ground.sources.cases}
    return (
        *(
            LimitedRun(
                name,
                cases[name].quantity,
                cases[name].source,
                cases[name].source_date,
                ground.actual(name),
                prediction.physical_limit_s,
            )
            for name, prediction in runs.items()
        ),
        *(_limited(job, physical_limit_of(job, instances)) for job in published_jobs()),
    )


def _limited(job: PublishedJob, limit_s: float | None) -> LimitedRun:
    told = job.told
    where = told["instance"] or "nodes"
    return LimitedRun(
        job.id,
        f"{told['framework']}, {told['job']} of {float(told['data_gb']):,.0f} GB on {job.nodes:,} {where}",
        f"{told['url']}, {told['passage']}",
        date.fromisoformat(f"{told['document_date'] or told['read_on']}-01-01"[:10]),
        job.time_s,
        limit_s,
    )
