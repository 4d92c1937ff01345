"""The runs of the laboratory (`bench/laboratory`) against what the model says of them.

An engine is fitted to the runs of at most `FITTED_NODES` nodes, from what their own logs and counters say: CPU time
by data, formats, start-up. The time of a run is used for one number only, the part of a reduce phase that does not
overlap. The runs of more nodes are predicted.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files
from statistics import median

import numpy as np
from numpy.typing import NDArray

from stowage.model.catalogue import Catalogue
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.engine import Engine
from stowage.model.figure import Figure, given
from stowage.model.flows import Durability
from stowage.model.framework import UNSEEN_PER_DOUBLING, Framework
from stowage.model.instance import InstanceType
from stowage.model.mapreduce import MapReduce
from stowage.model.prediction import Prediction, predict
from stowage.model.profile import Profiles
from stowage.model.scale import Z90
from stowage.model.sizes import MB_PER_GB, MB_PER_MIB
from stowage.model.workload import Assumptions, Measured, Workload
from stowage.validation import ernest
from stowage.validation.ground import feasible

FRAMEWORKS = ("spark", "hadoop", "flink")
"""Of which there are tables."""
FITTED_NODES = 4
CORES = 2.0
"""Of the machine that all nodes share."""
BLOCK_MB = 8.0 * MB_PER_MIB
"""Of the laboratory's HDFS: a map task's data."""
KEPT_BY_SCANS = 1e-6
"""Map output per input that stands for none [1]."""
MBIT_PER_MB = 8.0
_UNLIMITED_MB_PER_S = 1e6


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a run by the framework's own log; sums over all nodes.

    Parameters
    ----------
    name : str
    time_s, task_cpu_s : float
        [s].
    tasks, busiest_tasks : float
        Of all nodes, and of the one with the most.
    shuffle_mb, remote_mb : float
        Shuffled data that was written or read, and what of it came from other nodes [MB].
    output_mb : float
        What the phase wrote, to the file system or to the next vertex of Flink [MB].
    """

    name: str
    time_s: float
    task_cpu_s: float
    tasks: float
    busiest_tasks: float
    shuffle_mb: float
    remote_mb: float
    output_mb: float


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    Parameters
    ----------
    told : Mapping[str, str]
        Its columns (`bench/laboratory/measure.py`), of the first phase.
    phases : tuple of Phase
    """

    told: Mapping[str, str]
    phases: tuple[Phase, ...]

    @property
    def name(self) -> str:
        """Return the name of the run."""
        return self.told["run"]

    @property
    def nodes(self) -> int:
        """Return the number of nodes that hold data."""
        return int(self.told["nodes"])

    @property
    def time_s(self) -> float:
        """Return the time of the run [s]."""
        return self.number("time_s")

    @property
    def counts(self) -> bool:
        """Return whether the nodes' links could limit it: the machine's CPUs were not the limit."""
        return not self.told["note"]

    @property
    def shuffles(self) -> bool:
        """Return whether it counts and has a map and a reduce phase."""
        return self.counts and len(self.phases) > 1

    @property
    def data_mb(self) -> float:
        """Return its input [MB]."""
        return self.number("data_mb")

    @property
    def remote_mb(self) -> float:
        """Return what nodes sent each other by the framework: shuffled data, and copies of the output [MB]."""
        return sum(phase.remote_mb for phase in self.phases) + self.copies_mb

    @property
    def copies_mb(self) -> float:
        """Return what the copies of the output but the first take [MB]."""
        return (self.number("replication") - 1.0) * self.data_mb * self.number("output_share")

    @property
    def wire_size(self) -> float:
        """Return the bytes over the links for each byte that nodes sent each other [1]."""
        return self.number("sent_mb") / self.remote_mb

    @property
    def task_cpu_s(self) -> float:
        """Return the CPU time of its tasks [s]."""
        return sum(phase.task_cpu_s for phase in self.phases)

    def number(self, column: str) -> float:
        """Return a column that holds a number."""
        return float(self.told[column] or 0.0)


@cache
def runs_of(framework: str) -> tuple[Run, ...]:
    """Return the runs of a framework: spark, hadoop or flink; none where there is no table."""
    table = files("stowage.validation") / "laboratory" / f"{framework}.csv"
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
    """Return a run as the model has it."""
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
    """Return what the node with the first partition receives, in shares of the mean [1].

    Partition k of p holds the records with u^(1 + s) p in [k, k + 1), u uniform: the first has p^(-1 / (1 + s)) of all.
    The others of its node are taken to be like the mean of the rest.
    """
    partitions, skew = run.number("partitions"), run.number("skew")
    if skew == 0.0:
        return 1.0
    first = math.pow(partitions, -1.0 / (1.0 + skew))
    others = (partitions / run.nodes - 1.0) * (1.0 - first) / (partitions - 1.0)
    return (first + others) * run.nodes


def node_of(run: Run) -> InstanceType:
    """Return a node of the laboratory: its slots, of which each has its part of the machine's cores."""
    slots = run.number("slots")
    return InstanceType(
        name="laboratory",
        vcpus=_figure("vcpus", slots),
        memory_gib=_figure("memory", run.number("memory_mb") / 1024.0, "GiB"),
        disk_count=_figure("disks", 2.0),
        disk_size_gb=_figure("disk", 1_000.0, "GB"),
        disk_media="ssd",
        placement_group=True,
        usd_per_hour=_figure("price", 1.0, "USD/h"),
        ebs_usd_per_hour=None,
        gaps={},
        cpu_baseline_share=_figure("cpu_share", min(1.0, CORES / (slots * run.nodes))),
    )


def predicted(run: Run, framework: Framework) -> Prediction:
    """Predict a run."""
    node = node_of(run)
    catalogue = Catalogue("laboratory", "Nodes of the laboratory", date.min, "us-east-1", {node.name: node}, {})
    configuration = Configuration(node.name, run.nodes, InstanceStore(2, 0))
    return feasible(predict(configuration, workload_of(run, framework), catalogue, Profiles(()), sources=False))


def _figure(quantity: str, value: float, unit: str = "1") -> Figure:
    return given(f"laboratory.{quantity}", value, unit, "bench/laboratory")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A framework as its runs of few nodes show it.

    Parameters
    ----------
    frameworks : Mapping[str, Framework]
        By the codec of the shuffle: what it takes of the CPUs, and how much smaller it makes data.
    beside_tasks : float
        CPU time of all programs of the workers for each second of tasks [1].
    """

    frameworks: Mapping[str, Framework]
    beside_tasks: float

    def of(self, run: Run) -> Framework:
        """Return the framework with the codec of a run."""
        return self.frameworks[run.told["compression"]]

    def time_s(self, run: Run) -> float:
        """Predict the time of a run [s]."""
        return predicted(run, self.of(run)).time_s.p50

    def task_cpu_s(self, run: Run) -> float:
        """Predict the CPU time of the tasks of a run [s]."""
        engine = self.of(run).engine
        by_data = sum(cpu.value for cpu in (engine.map_cpu, engine.reduce_cpu) if cpu is not None)
        by_task = 0.0 if engine.task_cpu is None else engine.task_cpu.value
        tasks = sum(phase.tasks for phase in run.phases)
        return (by_data * run.data_mb / MB_PER_GB + by_task * tasks) / self.beside_tasks


def fitted(runs: Sequence[Run], name: str) -> Fitted:
    """Fit an engine to runs.

    Parameters
    ----------
    runs : sequence of Run
        Of one framework and version, with a shuffle, of every codec that is to be predicted.
    name : str
        Of the framework.
    """
    codecs = sorted({run.told["compression"] for run in runs})
    beside = median(run.number("cpu_s") / run.task_cpu_s for run in runs)
    wire_size = _figure("wire_size", median(run.wire_size for run in runs if run.remote_mb > 0.0))
    cpu_s = _task_cpu(runs, codecs) * beside
    frameworks = {
        codec: Framework(
            name,
            "laboratory",
            "",
            "",
            _figure("error", 0.0),
            engine=Engine(
                merging="once",
                fetches_after_map=True,
                map_cpu=_figure("map_cpu", cpu_s[2 * index], "s/GB"),
                reduce_cpu=_figure("reduce_cpu", cpu_s[2 * index + 1], "s/GB"),
                task_cpu=_figure("task_cpu", cpu_s[-1], "s"),
                split=_figure("split", BLOCK_MB, "MB"),
                shuffle_size=_figure("shuffle_size", _shuffle_size(runs, codec)),
                wire_size=wire_size,
            ),
        )
        for index, codec in enumerate(codecs)
    }
    return _timed(runs, Fitted(frameworks, beside))


def _shuffle_size(runs: Sequence[Run], codec: str) -> float:
    return median(run.phases[0].shuffle_mb / run.data_mb for run in runs if run.told["compression"] == codec)


def _task_cpu(runs: Sequence[Run], codecs: Sequence[str]) -> NDArray[np.float64]:
    """Fit the CPU time of tasks: by data of the map and the reduce phase of each codec [s/GB], and by task [s].

    Non-negative least squares of what each phase is off by, in parts of itself; once more without those that are off by
    more than half, as first jobs are, which Java still compiles.
    """
    # Imported here: reading a page must not wait for what only a fit needs.
    from scipy.optimize import nnls  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    phases = [(run, index, run.phases[index]) for run in runs for index in (0, 1)]
    rows = np.zeros((len(phases), 2 * len(codecs) + 1))
    for row, (run, index, phase) in zip(rows, phases, strict=True):
        row[2 * codecs.index(run.told["compression"]) + index] = run.data_mb / MB_PER_GB
        row[-1] = phase.tasks
    rows /= np.array([phase.task_cpu_s for *_, phase in phases])[:, None]
    found = nnls(rows, np.ones(len(phases)))[0]
    usual = np.abs(rows @ found - 1.0) < _FIRST_JOB
    return np.asarray(nnls(rows[usual], np.ones(int(usual.sum())))[0])


_FIRST_JOB = 0.5
"""Part by which the CPU time of a phase is off that Java has not compiled yet [1]."""


def _timed(runs: Sequence[Run], counted: Fitted) -> Fitted:
    """Return the framework with start-up and overlap for which the times of runs are predicted best."""
    from scipy.optimize import least_squares  # noqa: PLC0415 - see above

    def tried(alone: float, start_up_s: float) -> Fitted:
        frameworks = {
            codec: replace(
                framework,
                engine=replace(framework.engine, alone=_figure("alone", float(alone))),
                start_up=_figure("start_up", float(start_up_s), "s"),
            )
            for codec, framework in counted.frameworks.items()
        }
        return replace(counted, frameworks=frameworks)

    def errors(x: Sequence[float]) -> list[float]:
        timed = tried(x[0], x[1])
        return [math.log(timed.time_s(run) / run.time_s) for run in runs]

    found = least_squares(errors, (0.3, 0.5), bounds=((0.0, 0.0), (1.0, 60.0)), diff_step=1e-3)
    return tried(found.x[0], found.x[1])


LEVEL = 0.8
"""Part of runs that a range is meant to hold."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A run of more nodes than any that was fitted, and what is predicted of it.

    Parameters
    ----------
    run : Run
    predicted_s, deviation : float
        Median [s], and standard deviation of ln(time) [1].
    ernest_s, ernest_deviation : float
        The same by Ernest's form, fitted to the same runs.
    payload_mb, wire_mb, task_cpu_s : float
        Predicted bytes between nodes, by the framework's counters and by the switch [MB]; CPU time of tasks [s].
    """

    run: Run
    predicted_s: float
    deviation: float
    ernest_s: float
    ernest_deviation: float
    payload_mb: float
    wire_mb: float
    task_cpu_s: float

    @property
    def error(self) -> float:
        """Return predicted over measured time, less one [1]."""
        return self.predicted_s / self.run.time_s - 1.0

    @property
    def ernest_error(self) -> float:
        """Return the same of Ernest's form [1]."""
        return self.ernest_s / self.run.time_s - 1.0

    @property
    def holds(self) -> bool:
        """Return whether the range at `LEVEL` holds the measured time."""
        return abs(math.log(self.predicted_s / self.run.time_s)) <= Z90 * self.deviation

    @property
    def score(self) -> float:
        """Return the interval score of ln(time) [1]: less is better."""
        return _score(self.predicted_s, self.deviation, self.run.time_s)

    @property
    def ernest_score(self) -> float:
        """Return the same of Ernest's form [1]."""
        return _score(self.ernest_s, self.ernest_deviation, self.run.time_s)


def _score(predicted_s: float, deviation: float, measured_s: float) -> float:
    """Return the interval score at `LEVEL` (Gneiting and Raftery 2007, eq. 43) of ln(time)."""
    off, half = abs(math.log(measured_s / predicted_s)), Z90 * deviation
    return 2.0 * half + 2.0 / (1.0 - LEVEL) * max(0.0, off - half)


def fitting(runs: Sequence[Run]) -> list[Run]:
    """Return the runs that are fitted to: of few nodes, with a shuffle, and not limited by the machine's CPUs."""
    return [run for run in runs if run.nodes <= FITTED_NODES and run.shuffles]


def compare(runs: Sequence[Run], name: str) -> tuple[Compared, ...]:
    """Fit to the runs of at most `FITTED_NODES` nodes, and predict the others.

    Parameters
    ----------
    runs : sequence of Run
        Of one framework and version. Those without a shuffle, and those that the machine's CPUs limited, are left out.
    name : str
        Of the framework.
    """
    few = fitting(runs)
    own = fitted(few, name)
    of_own = _deviation([math.log(own.time_s(run) / run.time_s) for run in few], 2)
    form = Ernest(few)
    of_ernest = _deviation([math.log(form.time_s(run) / run.time_s) for run in few], 2)
    compared = []
    for run in runs:
        if run.nodes <= FITTED_NODES or not run.shuffles:
            continue
        unseen = UNSEEN_PER_DOUBLING.value * math.log2(run.nodes / FITTED_NODES)
        engine = own.of(run).engine
        payload_mb = engine.stored * run.data_mb * (run.nodes - 1.0) / run.nodes + run.copies_mb
        compared.append(
            Compared(
                run,
                own.time_s(run),
                math.hypot(of_own, unseen),
                form.time_s(run),
                math.hypot(of_ernest, unseen),
                payload_mb,
                engine.sent * payload_mb,
                own.task_cpu_s(run),
            )
        )
    return tuple(compared)


def _deviation(errors: Sequence[float], taken: int) -> float:
    """Return the standard deviation of errors of a fit that took some degrees of freedom [1]."""
    return math.sqrt(sum(error * error for error in errors) / max(1, len(errors) - taken))


class Ernest:
    """Ernest's form (`ernest`), one for each kind of job.

    Parameters
    ----------
    runs : sequence of Run
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        kinds: dict[tuple[str, ...], list[Run]] = {}
        for run in runs:
            kinds.setdefault(_kind(run), []).append(run)
        self._coefficients = {
            kind: ernest.fit([(run.data_mb, run.nodes) for run in of_kind], [run.time_s for run in of_kind])
            for kind, of_kind in kinds.items()
        }

    def time_s(self, run: Run) -> float:
        """Return the predicted time of a run [s]."""
        return ernest.time_s(self._coefficients[_kind(run)], run.data_mb, run.nodes)


def _kind(run: Run) -> tuple[str, ...]:
    return tuple(run.told[column] for column in ("job", "compression", "skew", "output_share", "replication"))
