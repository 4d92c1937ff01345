"""Runs of the laboratory: their measurements, and their conversion to workloads of the model.

The laboratory (`bench/laboratory`) runs all nodes of a cluster on one machine, so the nodes share its CPUs.
"""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stowage.model.figure import Figure, given
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_MIB
from stowage.validation.inputs import predict_job
from stowage.validation.published_jobs import KEPT_BY_SCANS

TABLES = Path(__file__).resolve().parent / "tables"
FRAMEWORKS = ("spark", "hadoop", "flink", "ray")
"""Frameworks that may have tables."""
SHUFFLING = ("sort", "mapreduce")
"""Kinds of jobs that have a map and a reduce phase."""
CORES = 2.0
"""CPU cores of the machine that all nodes share."""
OTHERS_SHARE = 0.2
"""Share of the machine's CPU time used by programs other than the nodes' above which a run was disturbed [1]."""
BLOCK_MB = 8.0 * MB_PER_MIB
"""Block size of the laboratory's HDFS, which is the input of a map task [MB]."""
MBIT_PER_MB = 8.0
_UNLIMITED_MB_PER_S = 1e6


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of a run, from the framework's log.

    Data and CPU time are sums over all nodes.
    """

    name: str
    time_s: float
    """Time of the phase [s]."""
    task_cpu_s: float
    """CPU time of the phase's tasks [s]."""
    tasks: float
    """Number of tasks on all nodes together."""
    busiest_tasks: float
    """Number of tasks on the node with the most tasks."""
    shuffle_mb: float
    """Shuffled data that was written or read in the phase [MB]."""
    remote_mb: float
    """Shuffled data that came from other nodes [MB]."""
    output_mb: float
    """Data written to the file system or to Flink's next vertex [MB]."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job in the laboratory."""

    told: Mapping[str, str]
    """Cells of the table row of the run's first phase, by column (`bench/laboratory/measure.py`)."""
    phases: tuple[Phase, ...]

    @property
    def name(self) -> str:
        """Return the name of the run."""
        return self.told["run"]

    @property
    def nodes(self) -> int:
        """Return the number of nodes that store data."""
        return int(self.told["nodes"])

    @property
    def time_s(self) -> float:
        """Return the time of the run [s]."""
        return self.number("time_s")

    @property
    def counts(self) -> bool:
        """Return whether the run counts as evidence.

        It does not count if it was limited by the machine's CPUs.
        """
        return not self.told["note"]

    @property
    def shuffles(self) -> bool:
        """Return whether the run has a map and a reduce phase."""
        return self.told["job"] in SHUFFLING

    @property
    def data_mb(self) -> float:
        """Return the size of the input [MB]."""
        return self.number("data_mb")

    @property
    def shuffled_mb(self) -> float:
        """Return the size of the intermediate data in the framework's format [MB]."""
        return self.phases[0].shuffle_mb or self.phases[0].output_mb

    @property
    def remote_mb(self) -> float | None:
        """Return the data that nodes sent each other [MB].

        It consists of shuffled data, as counted by the framework, and copies of the output. None if the framework does
        not count shuffled data.
        """
        shuffled_mb = sum(phase.remote_mb for phase in self.phases)
        return shuffled_mb + self.copies_mb if shuffled_mb > 0.0 else None

    @property
    def copies_mb(self) -> float:
        """Return the total size of all copies of the output except the first [MB]."""
        return (self.number("replication") - 1.0) * self.data_mb * self.number("output_share")

    @property
    def sent_mb(self) -> float:
        """Return the bytes sent over the network links of all nodes, including headers [MB]."""
        return self.number("sent_mb")

    @property
    def cpu_s(self) -> float:
        """Return the CPU time of all programs on the nodes [s]."""
        return self.number("cpu_s")

    @property
    def task_cpu_s(self) -> float:
        """Return the CPU time of all tasks [s].

        It is 0 if the framework does not count it.
        """
        return sum(phase.task_cpu_s for phase in self.phases)

    @property
    def beside_others(self) -> bool:
        """Return whether other programs disturbed the run.

        They did if they used more than the share `OTHERS_SHARE` of the machine's CPU time. Other programs are those
        that run outside the nodes.
        """
        own_s = self.cpu_s + self.number("head_cpu_s")
        return self.number("cpu_share") - own_s / (CORES * self.time_s) > OTHERS_SHARE

    @property
    def tasks(self) -> tuple[float, float]:
        """Return the number of map tasks and the number of reduce tasks."""
        return self.phases[0].tasks, self.number("partitions")

    @property
    def blocks(self) -> float:
        """Return the number of blocks of the shuffle.

        There is one block for each pair of a map task and a reduce task.
        """
        maps, reduces = self.tasks
        return maps * reduces

    @property
    def fetches(self) -> float:
        """Return the number of times that a reduce task fetches data from another node."""
        return self.tasks[1] * (self.nodes - 1.0)

    def number(self, column: str) -> float:
        """Return the number in a column of the run's table row.

        It is 0 if the cell is empty.
        """
        return float(self.told[column] or 0.0)


@cache
def runs_of(framework: str) -> tuple[Run, ...]:
    """Return the laboratory runs of a framework.

    ``framework`` is one of `FRAMEWORKS`. The result is empty if there is no table for it.
    """
    table = TABLES / f"{framework}.csv"
    if not table.is_file():
        return ()
    rows: dict[str, list[Mapping[str, str]]] = {}
    for row in csv.DictReader(table.read_text().splitlines()):
        rows.setdefault(row["run"], []).append(row)
    return tuple(Run(of_run[0], tuple(map(_phase, of_run))) for of_run in rows.values())


def _phase(row: Mapping[str, str]) -> Phase:
    def number(column: str) -> float:
        return float(row[column] or 0.0)

    return Phase(
        row["phase"],
        number("phase_s"),
        number("task_cpu_s"),
        number("tasks"),
        number("busiest_tasks"),
        number("shuffle_mb"),
        number("remote_mb"),
        number("output_mb"),
    )


def workload_of(run: Run, framework: Framework) -> Workload:
    """Convert a laboratory run to a workload of the model."""
    told, copies = run.told, int(run.told["replication"])
    scan = told["job"] == "scan"
    job = MapReduce(
        kind="mapreduce",
        data_mb=run.number("data_mb"),
        map_selectivity=KEPT_BY_SCANS if scan else 1.0,
        reduce_selectivity=1.0 if scan else run.number("output_share"),
        durability=Durability("application", copies) if copies > 1 else Durability(),
        skew=max(1.0, _heaviest_share(run)),
        partitions=int(told["partitions"]),
    )
    rates = Measured(storage_mb_per_s=_UNLIMITED_MB_PER_S, network_mb_per_s=run.number("mbit_per_s") / MBIT_PER_MB)
    assume = Assumptions(spread="ignored", launch="ignored", billing="prorated")
    return Workload(run.name, job, framework.name, measured=rates, assume=assume, calibrated=framework)


def _heaviest_share(run: Run) -> float:
    """Return how much data the busiest node receives, relative to the mean of all nodes [1].

    The busiest node is that with the first of p partitions. With skew s, a record is in partition k if u^(1 + s) p is
    in [k, k + 1), with u uniform between 0 and 1. So the first partition has the share p^(-1 / (1 + s)) of all records.
    The other partitions on the busiest node are assumed to have the mean size of all partitions except the first.
    """
    partitions, skew = run.number("partitions"), run.number("skew")
    if skew == 0.0:
        return 1.0
    first = math.pow(partitions, -1.0 / (1.0 + skew))
    others = (partitions / run.nodes - 1.0) * (1.0 - first) / (partitions - 1.0)
    return (first + others) * run.nodes


def node_of(run: Run) -> InstanceType:
    """Return an instance type that represents a node of the laboratory.

    Its vCPUs are the task slots of the node, which share the machine's cores with the other nodes.
    """
    slots = run.number("slots")
    return InstanceType(
        name="laboratory",
        vcpus=figure("vcpus", slots),
        memory_gib=figure("memory", run.number("memory_mb") / 1024.0, "GiB"),
        disk_count=figure("disks", 2.0),
        disk_size_gb=figure("disk", 1_000.0, "GB"),
        disk_media="ssd",
        placement_group=True,
        usd_per_hour=figure("price", 1.0, "USD/h"),
        ebs_usd_per_hour=None,
        gaps={},
        cpu_baseline_share=figure("cpu_share", min(1.0, CORES / (slots * run.nodes))),
    )


def predicted(run: Run, framework: Framework) -> Prediction:
    """Predict a laboratory run with the profile of a framework."""
    return predict_job(workload_of(run, framework), node_of(run), run.nodes)


def figure(quantity: str, value: float, unit: str = "1") -> Figure:
    """Return a figure whose source is the laboratory."""
    return given(f"laboratory.{quantity}", value, unit, "bench/laboratory")
