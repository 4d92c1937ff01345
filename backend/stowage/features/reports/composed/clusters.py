"""Workload files and predictions of the clusters in a report.

Each workload file can be predicted or deployed. The current cluster is predicted for comparison.
"""

from typing import Any

from stowage.features.planning import deciding
from stowage.features.planning.basis import AnswerBasis
from stowage.features.planning.decided import TodayCluster
from stowage.features.planning.deciding import with_cluster
from stowage.features.reports.composed.options import Option
from stowage.frozen import frozen
from stowage.workloads.answers import ConfigurationAnswer, InfeasibleAnswer, PredictionAnswer
from stowage.workloads.cluster_section import ClusterSection


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
