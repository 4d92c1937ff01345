"""Catalog and measurements with which a stored plan was answered, for further predictions with the same data."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ValidationError

from stowage.features.calibration.team_knowledge import stored_knowledge
from stowage.features.planning import today
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.model.cluster import Configuration
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.workload import Workload
from stowage.model.plan import nine_digits
from stowage.model.prediction import Prediction, predict
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.problems import problems_in
from stowage.workloads.answer_conversion import configuration_fields
from stowage.workloads.answers import ConfigurationAnswer, PlanAnswer
from stowage.workloads.cluster_section import ClusterSection
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.question import question_sentence
from stowage.workloads.refusals import possible_workloads, workload_of
from stowage.workloads.stored import parse_stored_workload, with_catalog
from stowage.workloads.workload_file import WorkloadFile

_MOST_NAMED = 3
_SOURCES = ("provenance", "causes", "courses")
_Row = TypeVar("_Row", bound=ConfigurationAnswer)
_WHAT_NOW = (
    "The stored answer stays readable, but cannot be computed again: open it as a new plan, check that field, and save."
)


@frozen
class AnswerBasis:
    """Catalog version and measurements of a stored plan's answer, for further predictions with the same data."""

    source: KnowledgeSource
    """Source with the measurements that the team had when the plan was answered."""
    version: str
    """Catalog version."""
    same: bool
    """True if the current model and measurements are still those of the answer."""

    def knowledge(self, file: WorkloadFile) -> Knowledge:
        """Return the catalog and the measurements for a workload file."""
        return self.source(self.version, file.place.region)


def basis_of(database: Database, org_id: UUID, plan: SavedPlanAnswer) -> AnswerBasis:
    """Return the catalog version and measurements with which a plan was answered.

    Raises
    ------
    BadInput
        The plan's catalog version is no longer stored.
    Conflict
        As for `file_of`.
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


@frozen
class RowAgain:
    """A row that was predicted again."""

    prediction: Prediction
    workload: Workload
    """Workload with the purchase option and the durability of the row."""


def with_sources(row: _Row, file: WorkloadFile, basis: AnswerBasis) -> _Row:
    """Return a row of a stored answer, with the sources of its inputs added where possible.

    A row that has sources already is returned unchanged. Otherwise the row is predicted again to obtain the sources. It
    is returned without sources if the model or the measurements have changed, or if the new prediction differs.
    """
    found = None if row.sources else predicted_again(row, file, basis)
    if found is None:
        return row
    fields = configuration_fields(found.prediction, found.workload)
    return row.model_copy(update={"sources": True, **{name: fields[name] for name in _SOURCES}})


def predicted_again(row: ConfigurationAnswer, file: WorkloadFile, basis: AnswerBasis) -> RowAgain | None:
    """Predict a row of a stored answer again, with its sources.

    The result is None if the model or the measurements have changed, or if the new prediction differs in nine digits.
    """
    if not basis.same:
        return None
    knowledge = basis.knowledge(file)
    workload = workload_of(possible_workloads(file, knowledge), row.nodes, row.purchase, row.durability, row.replicas)
    if workload is None:
        return None
    configuration = Configuration(row.instance, row.nodes, row.storage.layout())
    found = predict(configuration, workload, knowledge.catalog, knowledge.profiles)
    if isinstance(found, Infeasible) or _figures(found) != _figures(row):
        return None
    return RowAgain(found, workload)


def _figures(row: ConfigurationAnswer | Prediction) -> list[float]:
    """Return time and cost with the digits of stored rows."""
    ranges = (row.time_s, row.cost_usd)
    return [float(nine_digits(quantile)) for each in ranges for quantile in (each.p10, each.p50, each.p90)]


def file_of(answer: PlanAnswer, version: str | None = None) -> WorkloadFile:
    """Convert the workload of an answer to a workload file that requests a catalog version.

    Parameters
    ----------
    version : str, optional
        Catalog version; by default that of the answer.

    Raises
    ------
    Conflict
        The workload was written for an earlier version, and does not conform to today's schema.
    """
    try:
        return _parsed(answer.workload, version or answer.catalog_version)
    except BadInput as error:
        raise Conflict(_outdated_words(error)) from error


def question_of(workload: Mapping[str, Any], version: str) -> tuple[str, str | None]:
    """Return the question of a stored workload as a sentence, with a catalog version.

    Returns
    -------
    str
        The question; empty if the workload is no longer accepted.
    str or None
        Why it is no longer accepted, and what can be done; None if it is accepted.
    """
    try:
        return question_sentence(_parsed(workload, version)), None
    except BadInput as error:
        return "", _outdated_words(error)


def _outdated_words(error: BadInput) -> str:
    wrong = "; ".join(f"{each.path}: {each.message}" for each in error.problems[:_MOST_NAMED])
    more = "; …" if len(error.problems) > _MOST_NAMED else ""
    return f"Written for an earlier version: {wrong.removesuffix('.')}{more}. {_WHAT_NOW}"


def _parsed(workload: Mapping[str, Any], version: str) -> WorkloadFile:
    # A plan keeps the cluster that its file named, which the search does not use, without what is default.
    asked = {name: value for name, value in workload.items() if name != "cluster"}
    file = parse_stored_workload(with_catalog(asked, version))
    named = workload.get("cluster")
    if named is None:
        return file
    cluster = {name: named.get(name) for name in ("instance", "nodes")} if isinstance(named, Mapping) else named
    try:
        return file.model_copy(update={"cluster": ClusterSection.model_validate(cluster)})
    except ValidationError as error:
        raise BadInput(
            [Problem(f"cluster.{each.path}".rstrip("."), each.message) for each in problems_in(error.errors())]
        ) from None
