"""Workload files and predictions of the clusters in a report.

Each workload file can be predicted or deployed. The current cluster is predicted for comparison.
"""

from typing import Any, TypeVar

from stowage.features.planning import deciding
from stowage.features.planning.basis import AnswerBasis
from stowage.features.planning.decided import TodayCluster
from stowage.features.planning.deciding import with_cluster
from stowage.features.reports.composed.options import Option
from stowage.frozen import frozen
from stowage.model.cluster import Configuration
from stowage.model.infeasible import Infeasible
from stowage.model.prediction import predict
from stowage.workloads.answer_conversion import configuration_fields
from stowage.workloads.answers import ConfigurationAnswer, InfeasibleAnswer, PredictionAnswer
from stowage.workloads.cluster_section import ClusterSection
from stowage.workloads.refusals import possible_workloads, workload_of
from stowage.workloads.workload_file import WorkloadFile

_Row = TypeVar("_Row", bound=ConfigurationAnswer)


def deployable_file(option: Option) -> dict[str, Any]:
    """Return an option's workload file, completed with the option's cluster and durability."""
    row = option.row
    document = with_cluster(option.file, _section(row)).written()
    if option.file.workload.durability.model == "any" and row.durability is not None:
        kept: dict[str, Any] = {"model": row.durability}
        if row.durability == "application":
            kept["replicas"] = row.replicas
        document["workload"] = {**document["workload"], "durability": kept}
    return document


def with_sources(row: _Row, file: WorkloadFile, basis: AnswerBasis) -> _Row:
    """Return a row of a stored answer, with the sources of its inputs added where possible.

    A row that has sources already is returned unchanged. Otherwise the row is predicted again to obtain the sources. It
    is returned without sources if the model or the measurements have changed, or if the new prediction differs.
    """
    if row.sources or not basis.same:
        return row
    knowledge = basis.knowledge(file)
    workload = workload_of(possible_workloads(file, knowledge), row.nodes, row.purchase, row.durability, row.replicas)
    configuration = Configuration(row.instance, row.nodes, row.storage.layout())
    if workload is None:
        return row
    found = predict(configuration, workload, knowledge.catalog, knowledge.profiles)
    if isinstance(found, Infeasible):
        return row
    again = row.model_copy(update=configuration_fields(found, workload))
    same = again.time_s == row.time_s and again.cost_usd == row.cost_usd
    return again if same else row


@frozen
class Today:
    """The current cluster, and its prediction for the job of the recommended option."""

    cluster: TodayCluster
    """With its monthly cost, if the user gave it."""
    answer: PredictionAnswer | InfeasibleAnswer
    kept_elsewhere: bool
    """True if the current cluster's durability differs from that of the recommended option."""

    @property
    def name(self) -> str:
        """Name of the cluster, as in ``178 × i2.8xlarge``."""
        return f"{self.cluster.nodes:,} × {self.cluster.instance}"


def predict_today(cluster: TodayCluster, option: Option, basis: AnswerBasis) -> Today:
    """Predict the current cluster for the job of an option.

    The prediction uses the model, catalog and measurements of the plan's answer.

    Raises
    ------
    BadInput
        As `deciding.predict_today`.
    """
    answer, row = deciding.predict_today(cluster, option.file, basis.source), option.row
    elsewhere = deciding.keeps_elsewhere(cluster, option.file)
    if cluster.durability is not None and isinstance(answer, PredictionAnswer):
        elsewhere = (answer.durability, answer.replicas) != (row.durability, row.replicas)
    return Today(cluster, answer, elsewhere)


def _section(row: ConfigurationAnswer) -> ClusterSection:
    return ClusterSection(instance=row.instance, nodes=row.nodes, storage=row.storage)
