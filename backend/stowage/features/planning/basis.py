"""Catalog and measurements with which a stored plan was answered, for further predictions with the same data."""

from datetime import datetime
from uuid import UUID

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning import today
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.platform.database.database import Database
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.cluster_section import ClusterSection
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.stored import parse_stored_workload, with_catalog
from stowage.workloads.workload_file import WorkloadFile


@frozen
class AnswerBasis:
    """Catalog version and measurements of a stored plan's answer, for further predictions with the same data."""

    source: KnowledgeSource
    """Source with the measurements that the team had when the plan was answered."""
    version: str
    """Catalog version."""
    same: bool
    """Whether the current model and measurements are still those of the answer."""

    def knowledge(self, file: WorkloadFile) -> Knowledge:
        """Return the catalog and the measurements for a workload file."""
        return self.source(self.version, file.place.region)


def basis_of(database: Database, org_id: UUID, plan: SavedPlanAnswer) -> AnswerBasis:
    """Return the catalog version and measurements with which a plan was answered.

    Raises
    ------
    BadInput
        The plan's catalog version is no longer stored.
    """
    answer = plan.answer
    version = answer.catalog_version
    source = source_as_of(database, org_id, version, answer.profiles_digest, plan.created_at)
    digest = source(version, file_of(answer).place.region).digest
    return AnswerBasis(source, version, (digest, MODEL_VERSION) == (answer.profiles_digest, answer.model_version))


def source_as_of(database: Database, org_id: UUID, version: str, digest: str, created_at: datetime) -> KnowledgeSource:
    """Return the source of the measurements of a plan: those that the team had when the plan was answered.

    Parameters
    ----------
    database, org_id
    version, digest
        Catalog version, and digest of the measurements, of the plan's answer.
    created_at : datetime
        Creation of the plan.
    """
    with database.transaction(org_id) as connection:
        known_at = today.of(connection).known_at(version, digest, created_at)
    return stored_knowledge(database, org_id, known_at)


def file_of(answer: PlanAnswer) -> WorkloadFile:
    """Convert the workload of an answer to a workload file that requests the catalog version of the answer."""
    # A plan keeps the cluster that its file named, which the search does not use, without what is default.
    asked = {name: value for name, value in answer.workload.items() if name != "cluster"}
    file = parse_stored_workload(with_catalog(asked, answer.catalog_version))
    named = answer.workload.get("cluster")
    if named is None:
        return file
    return file.model_copy(update={"cluster": ClusterSection(instance=named["instance"], nodes=named["nodes"])})
