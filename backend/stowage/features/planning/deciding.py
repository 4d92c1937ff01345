"""Predictions for the decisions about a plan: its current cluster and its pinned configurations.

The current cluster is predicted with its own durability, and each pin with its own workload.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from stowage.features.planning import planning
from stowage.features.planning.decided import Decided, TodayCluster
from stowage.features.planning.schemas import BestOfDurabilityAnswer, DecidedAnswer, PinAnswer, RunsTodayAnswer
from stowage.platform.errors import BadInput, problems_at
from stowage.workloads.answers import InfeasibleAnswer, PredictionAnswer
from stowage.workloads.cluster_section import ClusterSection
from stowage.workloads.job_section import kept_in_each_way
from stowage.workloads.knowledge import KnowledgeSource
from stowage.workloads.layouts import KEPT_ON, kinds_of
from stowage.workloads.workload_file import WorkloadFile, parse_workload


def predict_decided(
    decided: Decided,
    file: WorkloadFile,
    source: KnowledgeSource,
    *,
    catalog_asked: str,
    compared: Sequence[BestOfDurabilityAnswer] = (),
) -> DecidedAnswer:
    """Compute the predictions for the decisions about a plan.

    The current cluster and the pins are predicted. If the decisions request a comparison of durability options, the
    best configuration under each option is searched.

    Parameters
    ----------
    file : WorkloadFile
        Workload file of the plan, with the catalog version that the plan was answered with.
    catalog_asked : str
        Catalog that the plan requested, ``latest`` or a version. Pins that request the same catalog are predicted with
        the version that answered the plan.
    compared : sequence of BestOfDurabilityAnswer
        The best configuration under each durability option, from an earlier search for the same workload and
        measurements. They are reused, because each requires a search.

    Raises
    ------
    BadInput
        An instance type is not in the catalog, or a layout is not possible; the path of the field begins with
        ``decided``.
    """
    pins = []
    for place, pin in enumerate(decided.pins):
        alike = pin.place.catalog in {catalog_asked, file.place.catalog}
        asked = of_catalog(pin, file.place.catalog) if alike else pin
        kept = of_catalog(pin, catalog_asked) if alike else pin
        with problems_at(f"decided.pins.{place}.{{}}".format):
            pins.append(PinAnswer(file=kept.written(), answer=_brief(planning.predict_cluster(asked, source))))
    today = None
    if decided.today is not None:
        with problems_at("decided.{}".format):
            answer = _brief(predict_today(decided.today, file, source))
            today = RunsTodayAnswer(cluster=decided.today, answer=answer)
    durabilities = list(compared or _best_of_each(file, source)) if decided.durabilities else []
    return DecidedAnswer(today=today, pins=pins, durabilities=durabilities, notes=decided.notes)


def predict_today(
    cluster: TodayCluster, file: WorkloadFile, source: KnowledgeSource
) -> PredictionAnswer | InfeasibleAnswer:
    """Predict a plan's workload on the current cluster, with the cluster's own durability.

    Raises
    ------
    BadInput
        The cluster's instance type is not in the catalog, or its layout is not possible; paths begin with ``today``.
    """
    with problems_at(partial(_path, given=cluster.durability is not None)):
        return planning.predict_cluster(_today_file(cluster, file), source)


def keeps_elsewhere(cluster: TodayCluster, file: WorkloadFile) -> bool:
    """Return whether the current cluster uses another kind of storage than the plan's workload."""
    return cluster.storage.kind not in kinds_of(file)


def of_catalog(file: WorkloadFile, version: str) -> WorkloadFile:
    """Return the workload file with another catalog version."""
    return file.model_copy(update={"place": file.place.model_copy(update={"catalog": version})})


def with_cluster(file: WorkloadFile, cluster: ClusterSection) -> WorkloadFile:
    """Return a copy of the workload file with another cluster.

    It is used to predict that cluster with the inputs of the search.

    Rates that the user measured apply only to the instance type of the file's own cluster. They are removed if the new
    cluster has another type.
    """
    changed: dict[str, Any] = {"cluster": cluster}
    if file.cluster is not None and file.cluster.instance != cluster.instance:
        changed["measured"] = type(file.measured)()
    return file.model_copy(update=changed)


def _best_of_each(file: WorkloadFile, source: KnowledgeSource) -> Iterator[BestOfDurabilityAnswer]:
    """Yield the best configuration for the plan's workload under each applicable durability option."""
    for durability in kept_in_each_way(file.workload):
        asked = file.model_copy(update={"workload": file.workload.model_copy(update={"durability": durability})})
        try:
            answer = planning.preview_rows(asked, source, lambda: 0.0, 1)
        except BadInput as error:
            words = "; ".join(problem.message for problem in error.problems)
            yield BestOfDurabilityAnswer(durability=durability, best=None, sentence=words)
            continue
        best = answer.configurations[0] if answer.configurations else None
        yield BestOfDurabilityAnswer(durability=durability, best=best, sentence=answer.sentence)


def _today_file(cluster: TodayCluster, file: WorkloadFile) -> WorkloadFile:
    named = with_cluster(file, cluster.section())
    kept: dict[str, Any] | None = None
    if cluster.durability is not None:
        kept = cluster.durability.model_dump(mode="json")
    elif keeps_elsewhere(cluster, file):
        kept = {"model": KEPT_ON[cluster.storage.kind]}
    if kept is None:
        return named
    written = named.written()
    workload = {**written["workload"], "durability": kept}
    if kept["model"] == "application":
        # The durability section includes HDFS replication.
        workload.pop("replication", None)
    return parse_workload({**written, "workload": workload})


def _path(path: str, *, given: bool) -> str:
    if path.startswith("cluster"):
        return f"today{path.removeprefix('cluster')}"
    if not path.startswith("workload"):
        return path
    # The cluster's durability differs from the plan's.
    return "today.durability" if given else "today.storage.kind"


def _brief(answer: PredictionAnswer | InfeasibleAnswer) -> PredictionAnswer | InfeasibleAnswer:
    """Return the answer without the sources of its inputs.

    The rows of a ranking have no sources either; `POST /predictions` returns them.
    """
    return answer if isinstance(answer, InfeasibleAnswer) else answer.without_sources()
