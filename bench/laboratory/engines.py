"""Engines of frameworks, fitted to laboratory runs on few nodes.

An engine is the model of how a framework executes a job. CPU time, data formats and numbers of bytes follow from the
logs and counters of the runs. Only two or three figures are fitted to the times of the runs (`_timed`).

The payload is the data that nodes send each other, without headers. The links are the network links of the nodes. A
block of the shuffle is the data of one map task for one reduce task.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares as of_times  # type: ignore[import-untyped]
from scipy.optimize import nnls

from bench.laboratory.recorded import Run, figure, predicted
from stowage.model.jobs.engine import Engine
from stowage.model.jobs.framework import Framework
from stowage.model.sizes import MB_PER_GB

FITTED_NODES = 4
"""Largest node count of the runs to which engines are fitted."""

Floats = NDArray[np.float64]

KNOWN: Mapping[str, Engine] = {
    "spark": Engine(merging="once", fetches_after_map=True),
    "hadoop": Engine(merging="as Hadoop"),
    # Splits are assigned by host name, but laboratory nodes have only IP addresses (LocatableInputSplitAssigner).
    "flink": Engine(merging="once", remote_input=True),
    # Tasks request objects when they begin, and a reduce task begins when all its objects exist.
    "ray": Engine(merging="once", fetches_after_map=True),
}
"""Execution of a job by each framework, from its documentation; other frameworks are fitted with the defaults."""


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Coefficients of a formula for the CPU time of a run."""

    data_s_per_gb: Mapping[str, tuple[float, float]]
    """CPU time per GB in the map phase and in the reduce phase [s/GB], by the compression codec of the shuffle."""
    task_s: float
    """CPU time per task [s]."""
    block_s: float
    """CPU time per block of the shuffle in each phase [s]."""
    sent_s_per_gb: float = 0.0
    """CPU time per GB sent over the network links [s/GB]."""

    def of(self, run: Run, sent_mb: float) -> float:
        """Return the CPU time of a run by the formula [s].

        ``sent_mb`` is the amount of data that the run sends over the network links [MB].
        """
        by_data = sum(self.data_s_per_gb[run.told["compression"]]) * run.data_mb
        by_task = self.task_s * sum(run.tasks) + 2.0 * self.block_s * run.blocks
        return (by_data + self.sent_s_per_gb * sent_mb) / MB_PER_GB + by_task


@dataclass(frozen=True, slots=True)
class Fitted:
    """A framework, fitted to its runs on few nodes."""

    frameworks: Mapping[str, Framework]
    """Fitted framework for each compression codec of the shuffle, since CPU time and data sizes depend on the codec."""
    workers: CpuTime
    """CPU time of all programs on the nodes."""
    tasks: CpuTime | None
    """CPU time of tasks alone; None if the framework does not count the CPU time of tasks."""
    by_times: int = 0
    """Number of figures that were fitted to the times of the runs, i.e. the degrees of freedom used."""

    def of(self, run: Run) -> Framework:
        """Return the fitted framework for a run.

        It is the framework for the compression codec of the run, with the split size of the run.
        """
        framework = self.frameworks[run.told["compression"]]
        split = figure("split", run.data_mb / run.tasks[0] * _ROUNDING, "MB")
        return replace(framework, engine=replace(framework.engine, split=split))

    def time_s(self, run: Run) -> float:
        """Predict the time of a run [s]."""
        return predicted(run, self.of(run)).time_s.p50

    def payload_mb(self, run: Run) -> float:
        """Predict the payload of a run: the data that nodes send each other, without headers [MB]."""
        return _payload_mb(run, self.of(run).engine)

    def sent_mb(self, run: Run) -> float:
        """Predict the bytes over the network links of all nodes in a run [MB]."""
        engine = self.of(run).engine
        beside = 0.0 if engine.fetch_mb is None else engine.fetch_mb.value * run.fetches
        return engine.sent * self.payload_mb(run) + beside

    def cpu_s(self, run: Run) -> float:
        """Predict the CPU time of all programs on the nodes in a run [s]."""
        return self.workers.of(run, self.sent_mb(run))

    def task_cpu_s(self, run: Run) -> float | None:
        """Predict the CPU time of the tasks of a run [s].

        None if the framework does not count it.
        """
        return None if self.tasks is None else self.tasks.of(run, 0.0)


_ROUNDING = 1.0 + 1e-9
"""Factor that keeps rounding from adding a task to data / split."""


def fitting(runs: Sequence[Run]) -> list[Run]:
    """Return the runs to which engines are fitted.

    These runs are on few nodes, have a shuffle, and were not limited by the machine's CPUs.
    """
    return [run for run in runs if run.nodes <= FITTED_NODES and run.shuffles and run.counts]


def fitted(runs: Sequence[Run], name: str) -> Fitted:
    """Fit the engine of a framework to its runs.

    Parameters
    ----------
    runs : sequence of Run
        Runs of one framework and version, all with a shuffle; at least one for every codec that is to be predicted.
    name : str
        Name of the framework, as in the file name of its table.
    """
    known = KNOWN.get(name, Engine())
    sizes = {codec: _shuffle_size(runs, codec) for codec in sorted({run.told["compression"] for run in runs})}
    of_codec = {codec: replace(known, shuffle_size=figure("shuffle_size", size)) for codec, size in sizes.items()}
    wire_size, fetch_mb = _wire(runs, of_codec)
    tasks = _of_tasks(runs, tuple(sizes)) if all(run.task_cpu_s > 0.0 for run in runs) else None
    workers = _of_workers(runs, tuple(sizes)) if tasks is None else _beside(runs, tasks)
    frameworks = {
        codec: Framework(
            name,
            "laboratory",
            "",
            "",
            figure("error", 0.0),
            engine=replace(
                engine,
                map_cpu=figure("map_cpu", workers.data_s_per_gb[codec][0], "s/GB"),
                reduce_cpu=figure("reduce_cpu", workers.data_s_per_gb[codec][1], "s/GB"),
                task_cpu=figure("task_cpu", workers.task_s, "s"),
                block_cpu=figure("block_cpu", workers.block_s, "s"),
                sent_cpu=figure("sent_cpu", workers.sent_s_per_gb, "s/GB"),
                wire_size=figure("wire_size", wire_size),
                fetch_mb=figure("fetch_mb", fetch_mb, "MB"),
            ),
        )
        for codec, engine in of_codec.items()
    }
    return _timed(runs, Fitted(frameworks, workers, tasks))


def _shuffle_size(runs: Sequence[Run], codec: str) -> float:
    return median(run.shuffled_mb / run.data_mb for run in runs if run.told["compression"] == codec)


def _payload_mb(run: Run, engine: Engine) -> float:
    """Return the payload of a run with an engine [MB].

    It consists of shuffled data, copies of the output, and input that is read from other nodes.
    """
    exchanged_mb = (engine.stored + (1.0 if engine.remote_input else 0.0)) * run.data_mb
    return exchanged_mb * (run.nodes - 1.0) / run.nodes + run.copies_mb


def _wire(runs: Sequence[Run], of_codec: Mapping[str, Engine]) -> tuple[float, float]:
    """Fit a formula for the bytes over the network links to runs.

    The bytes are a multiple of the payload, plus an amount for each fetch.

    Returns
    -------
    float
        Bytes over the links per byte of payload [1], at least 1.
    float
        Additional bytes for each fetch [MB].
    """
    several = [run for run in runs if run.nodes > 1]
    payload_mb = [_payload_mb(run, of_codec[run.told["compression"]]) for run in several]
    columns = [[mb, run.fetches] for mb, run in zip(payload_mb, several, strict=True)]
    more_mb = [run.sent_mb - mb for mb, run in zip(payload_mb, several, strict=True)]
    # Fit absolute errors: in runs with little data, the share of remote input is random.
    more, fetch_mb = least_squares(columns, more_mb, [1.0] * len(several))
    return 1.0 + more, fetch_mb


def _of_tasks(runs: Sequence[Run], codecs: Sequence[str]) -> CpuTime:
    """Fit the CPU time of tasks to runs.

    After a first fit, it is fitted again without outliers. These are phases whose code Java had not yet compiled.
    """
    columns, measured = [], []
    for run in runs:
        for place, phase in ((0, run.phases[0]), (1, run.phases[-1])):
            by_data = [0.0] * (2 * len(codecs))
            by_data[2 * codecs.index(run.told["compression"]) + place] = run.data_mb / MB_PER_GB
            columns.append([*by_data, phase.tasks, run.blocks])
            measured.append(phase.task_cpu_s)
    found = least_squares(columns, measured, measured)
    usual = np.abs(np.array(columns) @ found / measured - 1.0) < _FIRST_JOB
    kept, of_kept = np.array(columns)[usual], np.array(measured)[usual]
    found = least_squares(kept, of_kept, of_kept)
    by_codec = {codec: (found[2 * place], found[2 * place + 1]) for place, codec in enumerate(codecs)}
    return CpuTime(by_codec, found[-2], found[-1])


_FIRST_JOB = 0.5
"""Relative error of the CPU time above which a phase is an outlier, whose code Java had not compiled yet [1]."""


def _beside(runs: Sequence[Run], tasks: CpuTime) -> CpuTime:
    """Fit the CPU time of all programs on the nodes to runs.

    It is a weighted sum of three numbers: the CPU time of tasks, the number of tasks, and the bytes over the links.
    """
    columns = [[run.task_cpu_s, sum(run.tasks), run.sent_mb / MB_PER_GB] for run in runs]
    measured = [run.cpu_s for run in runs]
    times, task_s, sent_s_per_gb = least_squares(columns, measured, measured)
    by_codec = {
        codec: (times * of_map, times * of_reduce) for codec, (of_map, of_reduce) in tasks.data_s_per_gb.items()
    }
    return CpuTime(by_codec, times * tasks.task_s + task_s, times * tasks.block_s, sent_s_per_gb)


def _of_workers(runs: Sequence[Run], codecs: Sequence[str]) -> CpuTime:
    """Fit the CPU time of all programs on the nodes without using the CPU time of tasks.

    Some frameworks do not count the CPU time of tasks. The CPU time per GB is divided evenly between the map phase and
    the reduce phase.
    """
    columns = []
    for run in runs:
        by_data = [run.data_mb / MB_PER_GB if run.told["compression"] == codec else 0.0 for codec in codecs]
        columns.append([*by_data, sum(run.tasks), 2.0 * run.blocks, run.sent_mb / MB_PER_GB])
    measured = [run.cpu_s for run in runs]
    found = least_squares(columns, measured, measured)
    by_codec = {codec: (found[place] / 2.0, found[place] / 2.0) for place, codec in enumerate(codecs)}
    return CpuTime(by_codec, found[-3], found[-2], found[-1])


def least_squares(
    columns: Sequence[Sequence[float]] | Floats, wanted: Sequence[float] | Floats, scale: Sequence[float] | Floats
) -> list[float]:
    """Fit non-negative factors of columns by least squares.

    With these factors, the sum of the columns is closest to ``wanted``. The errors are divided by ``scale`` before they
    are squared.
    """
    by = np.asarray(scale)
    return [float(factor) for factor in nnls(np.asarray(columns) / by[:, None], np.asarray(wanted) / by)[0]]


def _timed(runs: Sequence[Run], counted: Fitted) -> Fitted:
    """Fit the remaining figures of a framework to the times of the runs.

    The first figure is the start-up time. The second figure is the part of the reduce phase that does not overlap with
    fetching. It is fitted only if the engine fetches after the map phase; in other engines, all of the reduce phase
    overlaps. The last figure is the reduce phase's share of the CPU time. It is fitted only if the framework does not
    count the CPU time of tasks.
    """
    serial = next(iter(counted.frameworks.values())).engine.fetches_after_map

    def tried(x: Sequence[float]) -> Fitted:
        alone = float(x[1]) if serial else 0.0
        reducing = None if counted.tasks is not None else float(x[-1])
        frameworks = {
            codec: _with(framework, float(x[0]), alone, reducing) for codec, framework in counted.frameworks.items()
        }
        return replace(counted, frameworks=frameworks, by_times=len(x))

    def errors(x: Sequence[float]) -> list[float]:
        timed = tried(x)
        return [math.log(timed.time_s(run) / run.time_s) for run in runs]

    unknowns = 1 + serial + (counted.tasks is None)
    start, most = (0.5, 0.3, 0.5)[:unknowns], (60.0, 1.0, 1.0)[:unknowns]
    return tried(of_times(errors, start, bounds=((0.0,) * unknowns, most), diff_step=1e-3).x)


def _with(framework: Framework, start_up_s: float, alone: float, reducing: float | None) -> Framework:
    engine = replace(framework.engine, alone=figure("alone", alone))
    if reducing is not None and engine.map_cpu is not None and engine.reduce_cpu is not None:
        both = engine.map_cpu.value + engine.reduce_cpu.value
        engine = replace(
            engine,
            map_cpu=figure("map_cpu", (1.0 - reducing) * both, "s/GB"),
            reduce_cpu=figure("reduce_cpu", reducing * both, "s/GB"),
        )
    return replace(framework, engine=engine, start_up=figure("start_up", start_up_s, "s"))
