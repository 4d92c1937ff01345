"""The clusters of a report as workload files: to be predicted again, deployed, or held against what runs today."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from stowage.features.catalog import catalogues
from stowage.features.planning import deciding, today
from stowage.features.planning.decided import TodayCluster
from stowage.features.planning.deciding import with_cluster
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.reports.composed.options import Option
from stowage.features.workloads.answers import (
    ConfigurationAnswer,
    InfeasibleAnswer,
    PlanAnswer,
    PredictionAnswer,
    configuration_fields,
)
from stowage.features.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.features.workloads.refusals import possible_workloads
from stowage.features.workloads.workload_file import (
    ClusterSection,
    EbsSection,
    StorageSection,
    WorkloadFile,
    layout_of,
    parse_stored_workload,
)
from stowage.model import MODEL_VERSION
from stowage.model.cluster import Configuration, InstanceStore, Layout, ObjectStore
from stowage.model.infeasible import Infeasible
from stowage.model.prediction import predict
from stowage.model.workload import Workload
from stowage.platform.database.database import Database

_Row = TypeVar("_Row", bound=ConfigurationAnswer)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a stored plan's answer rests on, to predict more by the same.

    Parameters
    ----------
    source : KnowledgeSource
        Of the measurements that the team knew then.
    version : str
        Of the catalogue.
    same : bool
        Whether model and measurements are still those of the answer.
    """

    source: KnowledgeSource
    version: str
    same: bool

    def knowledge(self, file: WorkloadFile) -> Knowledge:
        """Give the catalogue and the measurements for a file."""
        return self.source(self.version, file.place.region)


def ground_of(database: Database, org_id: UUID, plan: SavedPlanAnswer) -> Ground:
    """Look up what a plan's answer rests on.

    Raises
    ------
    BadInput
        Its version of the catalogue is there no more.
    """
    answer = plan.answer
    version = answer.catalogue_version
    with database.transaction(org_id) as connection:
        known_at = today.of(connection).known_at(version, answer.profiles_digest, plan.created_at)
    source = catalogues.stored_knowledge(database, org_id, known_at)
    digest = source(version, file_of(answer).place.region).digest
    return Ground(source, version, (digest, MODEL_VERSION) == (answer.profiles_digest, answer.model_version))


def file_of(answer: PlanAnswer) -> WorkloadFile:
    """Read what was asked, with the version of the catalogue that it was answered from."""
    place = {**answer.workload.get("place", {}), "catalogue": answer.catalogue_version}
    # A plan keeps the cluster that its file named, which the search does not use, without what is default.
    asked = {name: value for name, value in answer.workload.items() if name != "cluster"}
    file = parse_stored_workload({**asked, "place": place})
    named = answer.workload.get("cluster")
    if named is None:
        return file
    return file.model_copy(update={"cluster": ClusterSection(instance=named["instance"], nodes=named["nodes"])})


def deployable_file(option: Option) -> dict[str, Any]:
    """Write an option as a workload file with its cluster."""
    row = option.row
    document = with_cluster(option.file, _section(row)).written()
    if option.file.workload.durability.model == "any" and row.durability is not None:
        kept: dict[str, Any] = {"model": row.durability}
        if row.durability == "application":
            kept["replicas"] = row.replicas
        document["workload"] = {**document["workload"], "durability": kept}
    return document


def with_sources(row: _Row, file: WorkloadFile, ground: Ground) -> _Row:
    """Add to a row what it rests on, where the stored answer left that out.

    Only where model and measurements are still the same, and what is predicted is the very same.
    """
    if row.sources or not ground.same:
        return row
    knowledge = ground.knowledge(file)
    workload = _workload_of(row, possible_workloads(file, knowledge))
    configuration = Configuration(row.instance, row.nodes, _layout(row.storage))
    if workload is None:
        return row
    found = predict(configuration, workload, knowledge.catalogue, knowledge.profiles)
    if isinstance(found, Infeasible):
        return row
    again = row.model_copy(update=configuration_fields(found, workload))
    same = again.time_s == row.time_s and again.cost_usd == row.cost_usd
    return again if same else row


@dataclass(frozen=True, slots=True)
class Today:
    """What runs today, as it is predicted for the same job.

    Parameters
    ----------
    cluster : ClusterSection
    answer : PredictionAnswer or InfeasibleAnswer
    kept_elsewhere : bool
        Whether it keeps its data in another way than the recommended option.
    """

    cluster: ClusterSection
    answer: PredictionAnswer | InfeasibleAnswer
    kept_elsewhere: bool


def predict_today(cluster: TodayCluster, option: Option, ground: Ground) -> Today:
    """Predict what runs today by the same model, catalogue and measurements.

    Raises
    ------
    BadInput
        As `deciding.predict_today`.
    """
    answer, row = deciding.predict_today(cluster, option.file, ground.source), option.row
    elsewhere = deciding.keeps_elsewhere(cluster, option.file)
    if cluster.durability is not None and isinstance(answer, PredictionAnswer):
        elsewhere = (answer.durability, answer.replicas) != (row.durability, row.replicas)
    return Today(cluster, answer, elsewhere)


def _section(row: ConfigurationAnswer) -> ClusterSection:
    return ClusterSection(instance=row.instance, nodes=row.nodes, storage=row.storage)


def _layout(storage: StorageSection) -> Layout:
    if isinstance(storage, EbsSection):
        return layout_of(storage)
    if storage.kind == "object-store":
        return ObjectStore()
    return InstanceStore(storage.input_output_disks or 1, storage.intermediate_disks or 0)


def _workload_of(row: ConfigurationAnswer, workloads: Sequence[Workload]) -> Workload | None:
    """Find the choice that a row was found with."""
    for workload in workloads:
        kept = workload.at(row.nodes).job.durability
        same = row.durability in {None, kept.model} and row.replicas in {None, kept.replicas}
        if same and row.purchase in {None, workload.place.paid_by}:
            return workload
    return None
