"""Scaling of the framework profile to a measured run on the current cluster.

All predictions for the workload then use the scaled profile.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from stowage.model.cluster import Configuration
from stowage.model.infeasible import Infeasible, feasible
from stowage.model.jobs.framework import Framework, TodayRun
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import predict
from stowage.model.units import parse_duration, parse_size
from stowage.optimizer.cache import Cache
from stowage.platform.errors import BadInput, Problem, problems_at
from stowage.workloads import wording
from stowage.workloads.cluster_section import TodaySection
from stowage.workloads.knowledge import Knowledge
from stowage.workloads.layouts import KEPT_ON, keeps_data_on, kinds_of, layouts_of
from stowage.workloads.workload_file import WorkloadFile, parse_workload

MOST_SCALE = 20.0
"""Largest factor [1] between measured and predicted time, either way."""
_STEPS, _ALIKE = 100, 1e-6
_RUN = "today"
"""Path of a problem of the run as a whole, where each of its fields alone is accepted."""

_SCALED: Cache[tuple[str, str, str, Framework, str], Framework] = Cache(most=256)


def framework_of(file: WorkloadFile, knowledge: Knowledge) -> Framework:
    """Return the profile of a workload's framework.

    If the workload file has a measured run on the current cluster, the profile is scaled to its time.

    Parameters
    ----------
    file : WorkloadFile
        Workload file, whose framework must be known.
    knowledge : Knowledge
        Knowledge of the region in which the current cluster runs.

    Raises
    ------
    BadInput
        The current cluster is unknown, it could not have run the job, or no scale of the profile explains the measured
        time. The paths of these problems begin with ``today``.
    """
    reached = knowledge.frameworks[file.framework]
    today = file.today
    if today is None:
        return reached
    with problems_at(_path):
        return _as_possible(file, today, reached, knowledge)


def _as_possible(file: WorkloadFile, today: TodaySection, reached: Framework, knowledge: Knowledge) -> Framework:
    """Scale the framework profile to the measured run, under the first possible durability.

    If the user states the durability of the run, only this durability is tried. Otherwise that of the workload is tried
    first, then a single copy. The cluster may be too small for the copies that the workload requires. Then the measured
    run cannot have had these copies.
    """
    refused: BadInput | None = None
    for asked in _as_it_ran(file, today):
        key = (knowledge.digest, knowledge.catalog.region, today.time, reached, asked.model_dump_json())
        try:
            return _SCALED.get(key, partial(_scaled, asked, today, reached, knowledge))
        except BadInput as error:
            if not any(problem.path == _RUN for problem in error.problems):
                raise
            refused = refused or error
    if refused is None:
        raise ValueError("a run is kept in one way at least")
    raise refused


def _as_it_ran(file: WorkloadFile, today: TodaySection) -> Iterator[WorkloadFile]:
    """Yield the workloads that the measured run may have had, one per durability.

    They have the data and the cluster of the run, on-demand prices and no limits.
    """
    document = file.written()
    for section in ("limits", "choose", "quotas", "objective", "cluster"):
        document.pop(section, None)
    cluster = document.pop("today")
    del cluster["time"]
    workload = {**document["workload"], "data": cluster.pop("data")}
    as_asked = file.to_workload()
    if isinstance(as_asked.job, MapReduce):
        # The default places depend on the objective, which a run does not have.
        workload |= {"input": as_asked.input, "output": as_asked.output}
    place = {**document.get("place", {}), "purchase": "on-demand"}
    # The time of a run is measured from when its cluster is up.
    assume = {**document["assume"], "launch": "billed"}
    cluster.pop("durability", None)
    for changes in _ways_kept(file, today):
        of_run = {name: value for name, value in {**workload, **changes}.items() if value is not None}
        ran = {**document, "workload": of_run, "place": place, "assume": assume, "cluster": cluster}
        yield parse_workload(ran)


def _ways_kept(file: WorkloadFile, today: TodaySection) -> Iterator[Mapping[str, object]]:
    """Yield the changes of workload fields for each durability that the run may have had.

    The most likely durability comes first. A field whose value is None must be removed.
    """
    if today.durability is not None:
        # HDFS' replication already sets the number of copies.
        alone = {"replication": None} if today.durability.model == "application" else {}
        yield {"durability": today.durability.model_dump(mode="json"), "kept": None, **alone}
        return
    if today.storage.kind not in kinds_of(file):
        yield {"durability": {"model": KEPT_ON[today.storage.kind]}, "kept": None}
    else:
        yield {}
    if today.storage.kind == "instance-store":
        replication = 1 if isinstance(file.to_workload().job, Hdfs) else None
        yield {"durability": {"model": "none"}, "kept": None, "replication": replication}


def _scaled(asked: WorkloadFile, today: TodaySection, reached: Framework, knowledge: Knowledge) -> Framework:
    measured_s, name = parse_duration(today.time), f"{today.nodes:,} × {today.instance}"
    workload, configuration, predicted_s = _as_predicted(asked, reached, knowledge)
    least_s, most_s = predicted_s / MOST_SCALE, predicted_s * MOST_SCALE
    if not least_s <= measured_s <= most_s:
        message = (
            f"{wording.duration(measured_s)} on {name}, predicted to take {wording.duration(predicted_s)}; accepted: "
            f"{wording.duration(least_s)} to {wording.duration(most_s)}"
        )
        raise BadInput([Problem("today.time", message)])
    run = TodayRun(measured_s, predicted_s, today.instance, today.nodes, parse_size(today.data))
    slower, found_s = 1.0, predicted_s
    for _ in range(_STEPS):
        if abs(found_s / measured_s - 1.0) <= _ALIKE:
            return reached.scaled_to(run, slower)
        slower *= measured_s / found_s
        found_s = _time_s(workload, configuration, reached.scaled_to(run, slower), knowledge)
    message = (
        f"{wording.duration(measured_s)} on {name}: start-up and burst credits rule this run, and no efficiency gives "
        f"that time (nearest: {wording.duration(found_s)}); accepted: a run that is limited by disks, network or CPUs"
    )
    raise BadInput([Problem("today.time", message)])


def _as_predicted(
    asked: WorkloadFile, reached: Framework, knowledge: Knowledge
) -> tuple[Workload, Configuration, float]:
    """Predict the measured run on the current cluster.

    The configuration has the fastest division of disks. If several durabilities are open, the first durability with
    which the run is possible is used.

    Returns
    -------
    tuple of Workload, Configuration and float
        Workload and configuration of the run, and its predicted time [s].
    """
    cluster = asked.cluster
    if cluster is None:
        raise ValueError("today's run has a cluster")
    obstacle: Infeasible | None = None
    for workload in asked.to_workloads():
        found: list[tuple[float, Configuration]] = []
        for layout in layouts_of(asked, knowledge):
            configuration = Configuration(cluster.instance, cluster.nodes, layout)
            if not keeps_data_on(workload, layout):
                continue
            of_reached = replace(workload, framework=reached.name, calibrated=reached)
            prediction = predict(configuration, of_reached, knowledge.catalog, knowledge.profiles, sources=False)
            if isinstance(prediction, Infeasible):
                obstacle = obstacle or prediction
            else:
                found.append((prediction.time_s.p50, configuration))
        if found:
            predicted_s, configuration = min(found, key=lambda one: one[0])
            return workload, configuration, predicted_s
    name = f"{cluster.nodes:,} × {cluster.instance}"
    why = "keeps its data elsewhere" if obstacle is None else obstacle.reason
    nearest = "" if obstacle is None or obstacle.nearest is None else f"; accepted: {obstacle.nearest}"
    raise BadInput([Problem(_RUN, f"{name} cannot have run this: {why}{nearest}")])


def _time_s(workload: Workload, configuration: Configuration, framework: Framework, knowledge: Knowledge) -> float:
    of_framework = replace(workload, framework=framework.name, calibrated=framework)
    found = predict(configuration, of_framework, knowledge.catalog, knowledge.profiles, sources=False)
    return feasible(found, "predicted before, and not now").time_s.p50


def _path(path: str) -> str:
    """Return the path in the ``today`` section from which a field of the run was taken.

    It is used in error messages. The argument is the field's path in the workload file of the run.
    """
    if path.startswith("cluster"):
        return f"today{path.removeprefix('cluster')}"
    if path == "workload.data":
        return "today.data"
    # The data was stored with another durability than the workload's.
    return "today.storage.kind" if path.startswith("workload") else path
