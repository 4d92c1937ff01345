"""Calibration of a framework with finished jobs, and prediction of finished jobs. Nothing is stored.

A calibration is a profile of the framework that is fitted to measured times of finished jobs. The physical limit of a
job is its predicted time if the framework reached the full rate of the hardware.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from stowage.frozen import frozen
from stowage.measure.fits.calibration import Calibration, Expected
from stowage.measure.fits.calibration_fit import FEWEST_RUNS, fit
from stowage.measure.fits.compared_phases import told_apart
from stowage.measure.fits.finished_jobs import MOST_NODES, RATES, FinishedJob
from stowage.measure.judging.run_physics import Physics, Run, physics_of
from stowage.model.cluster import Configuration
from stowage.model.forecast import PhaseTime
from stowage.model.infeasible import Infeasible, feasible
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FLINK, FRAMEWORKS, HADOOP_MAPREDUCE, IDEAL, SPARK
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Prediction, predict
from stowage.model.units import UnitError, parse_size
from stowage.platform.errors import BadInput, Problem, problems_at
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.layouts import keeps_data_on, layouts_of
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile, parse_workload

ASKED_TIMES, MOST_NEXT_RUNS = 5, 5
"""Size of the requested run, as a multiple of the largest run's nodes; number of proposed runs."""

_OF_PLACE = ("region", "placement_group", "catalog")
_NUMBERS = (
    *("replicas", "replication", "local_share", "skew", "partitions", "compressed_to"),
    *("input_compressed_to", "output_compressed_to", "tasks_per_node"),
    *("read_share", "queue_depth"),
)
_RATIOS = ("map_selectivity", "reduce_selectivity")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@frozen
class NextRun:
    """A run that would improve the calibration."""

    instance: str
    nodes: int
    data: str
    words: str
    predicted_s: float
    cost_usd: float | None
    """Cost of the run at its expected time and the prices of its region [USD]; None if the catalog has no price."""
    narrows_pct: float
    """Reduction of the requested run's interval by the result of the proposed run [%]."""


@frozen
class ProposedRun(NextRun):
    """A run that would improve the calibration, with its storage."""

    input_output: str


@frozen
class Calibrated:
    """A calibration, with proposed runs that would improve it."""

    calibration: Calibration
    asked: FinishedJob
    """Run that the user wants predicted; the proposed runs would narrow its prediction interval."""
    asked_expected: Expected
    next_runs: tuple[ProposedRun, ...]
    """Proposed runs, most useful first."""
    left_out: tuple[tuple[str, str], ...]
    """Names of finished jobs that cannot be predicted, with the reasons."""


def calibrate(jobs: Sequence[FinishedJob], source: KnowledgeSource, today: date) -> Calibrated:
    """Fit the calibration of one framework to finished jobs, and propose further runs.

    The proposed runs narrow the prediction of a run like the largest of the finished jobs, on five times as many nodes.

    Parameters
    ----------
    jobs : sequence of FinishedJob
        Finished jobs, all of the same framework.

    Raises
    ------
    BadInput
        Jobs of several frameworks, or too few jobs that can be predicted.
    """
    names = sorted({job.framework for job in jobs})
    if len(names) > 1:
        raise BadInput([Problem("framework", f"{', '.join(names)} are calibrated one by one")])
    runs, kept, left_out = list[Run](), list[FinishedJob](), list[tuple[str, str]]()
    for job in jobs:
        try:
            physics = physics_of_job(job, source)
        except BadInput as error:
            left_out.append((job.name, "; ".join(f"{found.path} {found.message}" for found in error.problems)))
            continue
        if isinstance(physics, Infeasible):
            left_out.append((job.name, f"{physics.reason}; needed: {physics.nearest}"))
            continue
        phases_s = told_apart([name for name, _ in physics.phases], job.phases_s)
        runs.append(Run(job.name, job.measured_s, physics, phases_s))
        kept.append(job)
    if len(runs) < FEWEST_RUNS:
        message = f"{len(runs)} finished jobs can be used; a calibration needs {FEWEST_RUNS}"
        raise BadInput([Problem("", message), *(Problem(name, why) for name, why in left_out)])
    calibration = fit(calibration_name(names[0]), runs, today, like=like_of(names[0]).name)
    target = _larger(_largest(kept), ASKED_TIMES)
    wanted = physics_of_job(target, source)
    if isinstance(wanted, Infeasible):
        raise BadInput([Problem("", f"{wanted.reason}; needed: {wanted.nearest}")])
    proposed = _proposed(calibration, kept, target, wanted, source)
    return Calibrated(calibration, target, calibration.expect(wanted), tuple(proposed), tuple(left_out))


def physics_of_job(job: FinishedJob, source: KnowledgeSource) -> Physics | Infeasible:
    """Compute the time that each resource needs in each phase of a finished job.

    If the job is infeasible, the reason is returned instead.

    Raises
    ------
    BadInput
        A column is invalid; the path is its name.
    """
    found = _laid_out(job, source)
    if isinstance(found, Infeasible):
        return found

    def timed(framework: Framework) -> tuple[PhaseTime, ...]:
        return feasible(_predict(*found, framework), "predicted before, and not now").phases

    return physics_of(float(job.nodes), timed, like_of(job.framework))


def calibration_name(framework: str) -> str:
    """Return the name under which predictions find the calibration of a framework.

    For Spark, MapReduce and Flink, it is the name of the packaged profile, which the calibration replaces. Predictions
    of such jobs then use the calibration by default. The names of all other packaged profiles are reserved, so their
    calibrations have a name of their own.
    """
    in_place = framework not in FRAMEWORKS or framework in {SPARK.name, HADOOP_MAPREDUCE.name, FLINK.name}
    return framework if in_place else f"{framework}-calibrated"


def like_of(framework: str) -> Framework:
    """Return the packaged profile of a framework, or the ideal profile if the framework has none."""
    return FRAMEWORKS.get(framework, IDEAL)


def prediction_of(job: FinishedJob, source: KnowledgeSource, framework: Framework = IDEAL) -> Prediction | Infeasible:
    """Predict a finished job with a given framework profile, by default at its physical limit.

    Raises
    ------
    BadInput
        A column is invalid; the path is its name.
    """
    found = _laid_out(job, source)
    return found if isinstance(found, Infeasible) else _predict(*found, framework)


def workload_of(job: FinishedJob) -> WorkloadFile:
    """Convert a finished job to a workload file with its cluster.

    Raises
    ------
    BadInput
        A column is invalid; the path is its name.
    """
    storage = job.storage()
    workload: dict[str, Any] = {"name": job.name, "job": job.job, "data": job.data}
    place: dict[str, Any] = {}
    measured: dict[str, Any] = {}
    document: dict[str, Any] = {
        "workload": workload,
        "place": place,
        "cluster": {"instance": job.instance, "nodes": job.nodes, "storage": storage},
        # The measured time is that of the job alone, with its data where it ran.
        "assume": {"usual": "ignored"},
        "measured": measured,
    }
    for name, written in job.options.items():
        value = _value(name, written)
        if name in _OF_PLACE:
            place[name] = value
        elif name == "credits":
            document["credits"] = value
        elif name in RATES:
            measured[name] = value
        elif name != "replicas":
            workload[name] = value
    workload["durability"] = _durability(job, storage["kind"])
    with problems_at(_column):
        return parse_workload(document)


def _durability(job: FinishedJob, kind: str) -> Mapping[str, Any]:
    if kind == "ebs":
        return {"model": "infrastructure"}
    if kind == "object-store":
        return {"model": "object-store"}
    replicas = job.options.get("replicas")
    return {"model": "none"} if replicas is None else {"model": "application", "replicas": _value("replicas", replicas)}


def _value(name: str, written: str) -> object:
    """Parse the text of an optional column to the type of its field in a workload file."""
    if name == "placement_group":
        truth = _TRUTHS.get(written.lower())
        if truth is None:
            raise BadInput([Problem(name, f"{written[:40]!a} is neither true nor false")])
        return truth
    if name in _NUMBERS or name in _RATIOS or name in RATES or name == "credits":
        try:
            number = float(written)
        except ValueError:
            return written
        return int(number) if number.is_integer() and name in _NUMBERS else number
    return written


def _column(path: str) -> str:
    """Return the column of a file of finished jobs that sets a field of a workload file."""
    if path.startswith("cluster.storage"):
        return "input_output"
    return path.rsplit(".", 1)[-1]


def _laid_out(job: FinishedJob, source: KnowledgeSource) -> tuple[Workload, Configuration, Knowledge] | Infeasible:
    """Return the workload, configuration and catalog of a finished job, or the reason why the job is infeasible.

    A job may not state which disks had input and output, and which had intermediate data. In this case, the division
    with the shortest predicted time is used.
    """
    file = workload_of(job)
    with problems_at(_column):
        knowledge = source(file.place.catalog, file.place.region)
        workload = possible_workloads(file, knowledge)[0]
        layouts = layouts_of(file, knowledge)
    best: tuple[float, Configuration] | None = None
    obstacle: Infeasible | None = None
    for layout in layouts:
        configuration = Configuration(job.instance, job.nodes, layout)
        if not keeps_data_on(workload, layout):
            continue
        found = _predict(workload, configuration, knowledge, IDEAL)
        if isinstance(found, Infeasible):
            obstacle = obstacle or found
        elif best is None or found.time_s.p50 < best[0]:
            best = found.time_s.p50, configuration
    if best is None:
        return obstacle or Infeasible("capacity", "no layout keeps its data", "another input_output")
    return workload, best[1], knowledge


def _predict(
    workload: Workload,
    configuration: Configuration,
    knowledge: Knowledge,
    framework: Framework,
) -> Prediction | Infeasible:
    asked = replace(workload, framework=framework.name, calibrated=framework)
    return predict(configuration, asked, knowledge.catalog, knowledge.profiles, sources=False)


def _largest(jobs: Sequence[FinishedJob]) -> FinishedJob:
    return max(jobs, key=lambda job: (job.nodes, job.measured_s))


def _larger(job: FinishedJob, times: float) -> FinishedJob:
    """Return a copy of a job with `times` times as many nodes and the same amount of data per node."""
    nodes = min(max(1, round(job.nodes * times)), MOST_NODES)
    return _with(job, nodes, nodes / job.nodes)


def _with(job: FinishedJob, nodes: int, data_times: float) -> FinishedJob:
    try:
        data_mb = parse_size(job.data) * data_times
    except UnitError as error:
        raise BadInput([Problem("data", str(error))]) from None
    data = f"{data_mb / 1e6:.4g} TB" if data_mb >= 1e6 else f"{data_mb / 1e3:.4g} GB"
    return replace(job, name=f"{data} on {nodes:,} × {job.instance}", nodes=nodes, data=data, phases_s=(), line=None)


def _proposed(
    calibration: Calibration, jobs: Sequence[FinishedJob], asked: FinishedJob, wanted: Physics, source: KnowledgeSource
) -> Iterator[ProposedRun]:
    candidates: dict[str, tuple[FinishedJob, Physics]] = {}
    for job in _variants(_largest(jobs), asked):
        physics = physics_of_job(job, source)
        if not isinstance(physics, Infeasible):
            candidates[job.name] = job, physics
    physics_by_name = [(name, physics) for name, (_, physics) in candidates.items()]
    framework = calibration.to_framework()
    for ranked in calibration.teaches(physics_by_name, wanted)[:MOST_NEXT_RUNS]:
        job, expected_s = candidates[ranked.name][0], ranked.expected.time_s
        predicted = prediction_of(job, source, framework)
        cost_usd = None if isinstance(predicted, Infeasible) else predicted.cost_usd.p50
        words = (
            f"{job.data} on {job.nodes:,} × {job.instance}, {job.input_output}: about "
            f"{expected_s:,.0f} s; the range of {asked.name} narrows by {ranked.narrows_pct:.0f}%"
        )
        yield ProposedRun(
            job.instance, job.nodes, job.data, words, expected_s, cost_usd, ranked.narrows_pct, job.input_output
        )


def _variants(largest: FinishedJob, asked: FinishedJob) -> Iterator[FinishedJob]:
    """Yield candidates for the runs to propose.

    They are variants of the largest finished run, with other numbers of nodes and amounts of data. All have fewer nodes
    than the requested run `asked`.
    """
    seen = set[tuple[int, float]]()
    for times in (1.0 / largest.nodes, 0.5, 1.0, 1.5, 2.0, 3.0):
        nodes = max(1, round(largest.nodes * times))
        for share in (0.25, 1.0, 2.0):
            if (nodes, share) in seen or nodes >= asked.nodes or not math.isfinite(share):
                continue
            seen.add((nodes, share))
            yield _with(largest, nodes, share * nodes / largest.nodes)
