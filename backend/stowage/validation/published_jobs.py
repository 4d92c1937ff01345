"""Published finished jobs (`finished_jobs/*.csv`), and their predictions.

The physical limit of a job is the shortest time that its hardware allows. Sources state few facts about the hardware.
Rates and sizes that a source does not state count as unlimited. So the physical limit may be too short, but not too
long. A run that was faster than its physical limit shows an error of the source or of the model.
"""

import csv
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from importlib.resources import files

from stowage.frozen import frozen
from stowage.model.complete import Checked
from stowage.model.figure import Figure, given
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_GB
from stowage.validation.evaluations import EVALUATIONS, evaluation, spark_record
from stowage.validation.inputs import PublishedInputs, predict_job
from stowage.validation.st1 import DIRECTIONS, LAYOUTS, predicted_by

MB_PER_S_PER_GBIT_PER_S = 125.0
KEPT_BY_SCANS = 1e-6
"""Map selectivity that stands for no output [1]."""
_UNLIMITED = 1e7
"""Value for a rate [MB/s], a size [GB] or a memory [GiB] that no source states."""
_SORTS = frozenset({"sort", "terasort", "shuffle"})
_ASSUME = Assumptions(spread="ignored", launch="ignored", billing="prorated", capacity="pooled")


@frozen
class PublishedJob:
    """One published job, i.e. one row of the tables."""

    told: Mapping[str, str]
    """Cells of the row, by column; a cell is empty if the source does not state the value."""

    @property
    def id(self) -> str:
        """Return the id of the job, which is unique among all rows."""
        return self.told["id"]

    @property
    def nodes(self) -> int:
        """Return the number of nodes that store data."""
        return int(self.told["nodes"])

    @property
    def time_s(self) -> float:
        """Return the published time of the job [s]."""
        return float(self.told["time_s"])

    @property
    def data_mb(self) -> float:
        """Return the size of the input [MB]."""
        return float(self.told["data_gb"]) * MB_PER_GB

    @property
    def sorts(self) -> bool:
        """Return whether the job sorted or shuffled all of its input.

        Other jobs are modelled as reads of the input.
        """
        return self.told["job"] in _SORTS

    def vcpus(self, known: InstanceType | None) -> float | None:
        """Return the number of vCPUs of a node [1].

        ``known`` is the node's instance type. The result is None if neither the source nor AWS states the number.
        """
        return self.number("vcpus") or (None if known is None else known.vcpus.value)

    def number(self, column: str) -> float | None:
        """Return the number in a column of the job's table row.

        None if the source does not state it.
        """
        return float(self.told[column]) if self.told[column] else None


@cache
def published_jobs() -> tuple[PublishedJob, ...]:
    """Return all published jobs.

    They are sorted by framework. The jobs of a framework are in the order of its table.
    """
    folder = files("stowage.validation") / "finished_jobs"
    tables = sorted((table for table in folder.iterdir() if table.name.endswith(".csv")), key=lambda table: table.name)
    return tuple(PublishedJob(row) for table in tables for row in csv.DictReader(table.read_text().splitlines()))


def physical_limit_of(job: PublishedJob, instances: Mapping[str, InstanceType]) -> float | None:
    """Return the physical limit of a published job: the shortest time that its hardware allows [s].

    None if neither the rate of its disks nor that of its network is known.

    Parameters
    ----------
    job : PublishedJob
    instances : Mapping[str, InstanceType]
        AWS' published data of instance types, for jobs whose source states the instance type.
    """
    known = instances.get(job.told["instance"])
    storage, network = _storage_mb_per_s(job, known), _network_mb_per_s(job, known)
    if storage is None and network is None:
        return None
    return _predicted(job, known, storage, IDEAL, replace(_ASSUME, cpu="ignored")).physical_limit_s


def predicted_time_s(job: PublishedJob, framework: Framework, instances: Mapping[str, InstanceType]) -> float:
    """Predict the median time of a published job [s].

    The parameters are those of `prediction_of`.
    """
    return prediction_of(job, framework, instances).time_s.p50


def prediction_of(job: PublishedJob, framework: Framework, instances: Mapping[str, InstanceType]) -> Prediction:
    """Predict a published job with the profile of a framework.

    Parameters
    ----------
    job : PublishedJob
        Its vCPUs must be known from the source or AWS (`PublishedJob.vcpus`).
    framework : Framework
    instances : Mapping[str, InstanceType]
        As for `physical_limit_of`. If the source states no disk rate and the instance type has no instance store, data
        is assumed to be on EBS, at the rate of the type's EBS link. Other rates that are not stated count as unlimited.
    """
    known = instances.get(job.told["instance"])
    storage = _storage_mb_per_s(job, known)
    if storage is None and known is not None and known.disk_count.value == 0.0:
        storage = _link_to_ebs_mb_per_s(known)
    return _predicted(job, known, storage, framework, _ASSUME)


def _predicted(
    job: PublishedJob, known: InstanceType | None, storage: float | None, framework: Framework, assume: Assumptions
) -> Prediction:
    """Predict a published job with a given disk rate.

    ``storage`` is the rate that DiskBench would measure on a node [MB/s], or None for unlimited.
    """
    copies = int(job.number("replication") or 1)
    work = MapReduce(
        kind="mapreduce",
        data_mb=job.data_mb,
        map_selectivity=1.0 if job.sorts else KEPT_BY_SCANS,
        durability=Durability("application", copies) if job.sorts and copies > 1 else Durability(),
    )
    rates = Measured(
        storage_mb_per_s=storage or _UNLIMITED, network_mb_per_s=_network_mb_per_s(job, known) or _UNLIMITED
    )
    workload = Workload(job.id, work, framework.name, measured=rates, assume=assume, calibrated=framework)
    return predict_job(workload, _node_of(job, known), job.nodes)


def _storage_mb_per_s(job: PublishedJob, known: InstanceType | None) -> float | None:
    """Return the disk rate that DiskBench would measure on a node [MB/s].

    DiskBench reads from half of a node's disks and writes to the other half. None if the rate is unknown.
    """
    each, disks = job.number("disk_mb_per_s"), job.number("disks")
    own = None if each is None or disks is None else each * disks / 2.0
    on_ebs = job.told["disk_kind"].startswith("ebs")
    link = _link_to_ebs_mb_per_s(known) if on_ebs and known is not None else None
    return min((rate for rate in (own, link) if rate is not None), default=None)


def _link_to_ebs_mb_per_s(known: InstanceType) -> float | None:
    """Return the rate of an instance type's EBS link in one direction [MB/s].

    Both directions are assumed to be equally busy. None if the rate is unknown.
    """
    return None if known.ebs_maximum_mb_per_s is None else known.ebs_maximum_mb_per_s.value / 2.0


def _network_mb_per_s(job: PublishedJob, known: InstanceType | None) -> float | None:
    stated = job.number("network_gbit_per_s")
    if stated is not None:
        return stated * MB_PER_S_PER_GBIT_PER_S
    if known is not None and known.network_peak_mb_per_s is not None:
        return known.network_peak_mb_per_s.value
    return None


def _node_of(job: PublishedJob, known: InstanceType | None) -> InstanceType:
    memory_gib = job.number("memory_gib") or (_UNLIMITED if known is None else known.memory_gib.value)
    vcpus = job.vcpus(known) or 1.0
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


@frozen
class LimitedRun(Checked):
    """One published run with its physical limit: the shortest time that its hardware allows."""

    id: str
    """Id of the run."""
    what: str
    """Description of the run."""
    source: str
    source_date: date
    """Date of the source; the first day if the source states only a month or a year."""
    actual_s: float
    """Measured time [s]."""
    limit_s: float | None
    """Physical limit [s]; None if neither the rate of the disks nor that of the network is known."""


def limited_runs(inputs: PublishedInputs, instances: Mapping[str, InstanceType]) -> tuple[LimitedRun, ...]:
    """Return all published runs with their physical limits.

    The runs among the cases of the validation come first, then the finished jobs.
    """
    found = {name: evaluation(inputs, name) for name in EVALUATIONS}
    found["sort-spark"] = spark_record(inputs, IDEAL.name)
    runs = {f"{name}-time": prediction for name, prediction in found.items()}
    runs |= {
        f"st1-{direction}-{volumes}": predicted_by(inputs, IDEAL, direction, volumes)
        for direction in DIRECTIONS
        for volumes in LAYOUTS
    }
    cases = {case.id: case for case in inputs.sources.cases}
    return (
        *(
            LimitedRun(
                name,
                cases[name].quantity,
                cases[name].source,
                cases[name].source_date,
                inputs.actual(name),
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
